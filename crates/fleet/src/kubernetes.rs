//! A manifest for Kubernetes, which has no "once on every node": an Indexed Job with pod anti-affinity, so that each
//! pod is on a separate node. The manifest is written out and never applied.

use serde_json::{Value, json};

/// Jobs that measure some nodes again, one for each node, as `fauxplat fleet emit --round` writes them. The pods of a
/// round may run at the same time.
#[derive(Clone, Debug)]
pub struct RoundManifest<'a> {
    /// Prefix of the jobs' names: a DNS label with room for the round and a number.
    pub name: &'a str,
    /// Image with fauxplat and the measured program.
    pub image: &'a str,
    pub round: u32,
    /// The nodes, by their names in Kubernetes.
    pub nodes: &'a [String],
    /// The order (what to measure) as a packed word, see [`crate::Site::packed`].
    pub order: &'a str,
}

impl RoundManifest<'_> {
    /// Returns the manifest as a document `List` of version `v1`.
    pub fn document(&self) -> Value {
        let items: Vec<Value> = self.nodes.iter().zip(1..).map(|(node, at)| self.job(node, at)).collect();
        json!({ "apiVersion": "v1", "kind": "List", "items": items })
    }

    fn job(&self, node: &str, at: u32) -> Value {
        let labels = json!({ "app.kubernetes.io/name": "fauxplat", "fauxplat/fleet": self.name });
        let round = self.round.to_string();
        let words =
            ["node", "--framed", self.name, "--round", &round, "--attempt", "1", "--order", self.order];
        let on_node = json!({ "key": "metadata.name", "operator": "In", "values": [node] });
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": { "name": format!("{}-r{round}-{at}", self.name), "labels": labels },
            "spec": {
                "backoffLimit": 0,
                "template": { "metadata": { "labels": labels }, "spec": {
                    "restartPolicy": "Never",
                    "affinity": { "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [{ "matchFields": [on_node] }],
                    } } },
                    "containers": [container(self.image, &words.map(str::to_owned))],
                } },
            },
        })
    }
}

fn container(image: &str, arguments: &[String]) -> Value {
    json!({
        "name": "fauxplat",
        "image": image,
        "command": ["fauxplat"],
        "args": arguments,
        // Host name of the answer: the name of the node in Kubernetes, and not that of the pod.
        "env": [{ "name": "FAUXPLAT_NODE", "valueFrom": { "fieldRef": { "fieldPath": "spec.nodeName" } } }],
    })
}

/// Job that measures a number of nodes once, as `fauxplat fleet emit` writes it.
#[derive(Clone, Debug)]
pub struct Manifest<'a> {
    /// Name of the job: a DNS label.
    pub name: &'a str,
    /// Image with fauxplat and the measured program.
    pub image: &'a str,
    pub nodes: u32,
    /// Arguments of the program fauxplat, which contain the order.
    pub arguments: &'a [String],
    /// Names and values of the labels that nodes must have.
    pub selector: &'a [(String, String)],
}

impl Manifest<'_> {
    /// Returns the manifest as a document of `batch/v1`.
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
            "containers": [container(self.image, self.arguments)],
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
                // A failed pod is reported and not retried. A limit on the failures of the whole job would also end the
                // pods of all other nodes.
                "backoffLimitPerIndex": 0,
                "template": { "metadata": { "labels": labels }, "spec": pod },
            },
        })
    }
}

/// Returns whether a name is a DNS label (RFC 1123), as names in Kubernetes have to be.
pub fn is_label(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=63).contains(&name.len()) && name.chars().all(fits) && !name.starts_with('-') && !name.ends_with('-')
}
