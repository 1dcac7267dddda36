//! A manifest for Kubernetes, which knows no "once on every node": an Indexed Job whose pods keep apart, so that each is on a
//! node of its own. It is written out and never applied.

use serde_json::{Value, json};

/// What the manifest says.
#[derive(Clone, Debug)]
pub struct Manifest<'a> {
    /// What the job is called: a name of a DNS label.
    pub name: &'a str,
    /// The image that holds fauxplat and what is measured.
    pub image: &'a str,
    /// On how many nodes.
    pub nodes: u32,
    /// The words behind the program: the order.
    pub arguments: &'a [String],
    /// Labels that nodes have to have.
    pub selector: &'a [(String, String)],
}

impl Manifest<'_> {
    /// The manifest as a document of `batch/v1`.
    pub fn document(&self) -> Value {
        let labels = json!({ "app.kubernetes.io/name": "fauxplat", "fauxplat/fleet": self.name });
        let selector: serde_json::Map<String, Value> =
            self.selector.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let mut pod = json!({
            "restartPolicy": "Never",
            "affinity": { "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [{
                    "labelSelector": { "matchLabels": { "fauxplat/fleet": self.name } },
                    "topologyKey": "kubernetes.io/hostname",
                }],
            }},
            "containers": [{
                "name": "fauxplat",
                "image": self.image,
                "command": ["fauxplat"],
                "args": self.arguments,
                // The kubelet's name of the node, not the pod's own.
                "env": [{ "name": "FAUXPLAT_NODE", "valueFrom": { "fieldRef": { "fieldPath": "spec.nodeName" } } }],
            }],
        });
        if !selector.is_empty() {
            pod["nodeSelector"] = Value::Object(selector);
        }
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": { "name": self.name, "labels": labels },
            "spec": {
                "completions": self.nodes,
                "parallelism": self.nodes,
                "completionMode": "Indexed",
                // A node that failed is told, and not tried again behind our back. A limit of the whole job would end the
                // pods of all the others with it.
                "backoffLimitPerIndex": 0,
                "template": { "metadata": { "labels": labels }, "spec": pod },
            },
        })
    }
}

/// Whether a name is one of a DNS label (RFC 1123), as names in Kubernetes are.
pub fn is_label(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=63).contains(&name.len()) && name.chars().all(fits) && !name.starts_with('-') && !name.ends_with('-')
}
