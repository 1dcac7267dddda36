//! From a description of a machine in `fixtures/sysfs/machines` to the tree of files that its kernel would show.
//!
//! `fixtures/sysfs/README.md` describes the lines of a description.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// The CPUs of one part.
type Cpus = Vec<u32>;

/// Writes the tree below a folder.
pub(crate) fn expand(description: &str, root: &Path) -> io::Result<()> {
    let mut machine = Machine::default();
    for line in description.lines() {
        let line = line.split(" # ").next().unwrap_or_default();
        if !line.trim().is_empty() && !line.starts_with('#') {
            machine.line(line.trim_end());
        }
    }
    machine.finish();
    for (path, text) in &machine.files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("paths have folders"))?;
        fs::write(path, text)?;
    }
    Ok(())
}

#[derive(Default)]
struct Machine {
    files: BTreeMap<String, String>,
    online: Cpus,
    /// Sets by the word that named them first.
    sets: BTreeMap<String, Vec<Cpus>>,
    /// Lines of `/proc/cpuinfo` per CPU.
    described: BTreeMap<u32, String>,
}

const CPU: &str = "sys/devices/system/cpu";

impl Machine {
    fn line(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        match word {
            "online" => self.online(rest),
            "present" | "possible" | "isolated" | "nohz_full" => self.put(&format!("{CPU}/{word}"), rest),
            "core" | "package" | "die" | "cluster" | "book" | "drawer" => self.group(word, &words),
            "core_id" => self.each(&words, "topology/core_id"),
            "capacity" => self.each(&words, "cpu_capacity"),
            "khz" => self.each(&words, "cpufreq/cpuinfo_max_freq"),
            "cache" => self.cache(&words),
            "node" => self.node(&words),
            "events" => self.put(&format!("sys/devices/{}/cpus", words[0]), words[1]),
            "cpuinfo" => self.describe(rest),
            "file" => {
                let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
                self.put(path, &text.replace("\\n", "\n").replace("\\t", "\t"));
            }
            other => panic!("`{other}` begins no line of a description"),
        }
    }

    fn put(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), format!("{text}\n"));
    }

    fn online(&mut self, list: &str) {
        self.online = cpus(list);
        for name in ["online", "present", "possible"] {
            self.put(&format!("{CPU}/{name}"), list);
        }
        for cpu in self.online.clone() {
            self.put(&format!("{CPU}/cpu{cpu}/topology/core_id"), "0");
        }
    }

    /// The sets that words name: lists, or the sets of an earlier line.
    fn named(&self, words: &[&str]) -> Vec<Cpus> {
        words.iter().flat_map(|word| self.sets.get(*word).cloned().unwrap_or_else(|| sets(word))).collect()
    }

    fn group(&mut self, level: &str, words: &[&str]) {
        let (file, id) = match level {
            "core" => ("thread_siblings", "core_id"),
            "package" => ("core_siblings", "physical_package_id"),
            "die" => ("die_cpus", "die_id"),
            "cluster" => ("cluster_cpus", "cluster_id"),
            "book" => ("book_siblings", "book_id"),
            _ => ("drawer_siblings", "drawer_id"),
        };
        let groups = self.named(words);
        for (number, group) in groups.iter().enumerate() {
            for cpu in group {
                self.put(&format!("{CPU}/cpu{cpu}/topology/{file}"), &mask(group));
                self.put(&format!("{CPU}/cpu{cpu}/topology/{id}"), &number.to_string());
            }
        }
        self.sets.insert(level.to_owned(), groups);
    }

    /// `LIST VALUE`: a file of each CPU.
    fn each(&mut self, words: &[&str], file: &str) {
        for cpu in cpus(words[0]) {
            self.put(&format!("{CPU}/cpu{cpu}/{file}"), words[1]);
        }
    }

    /// `L1d 32K WAYS SETS…`, with an identifier each when the word `ids` comes last.
    fn cache(&mut self, words: &[&str]) {
        let has_ids = words.last() == Some(&"ids");
        let groups = self.named(&words[3..words.len() - usize::from(has_ids)]);
        let kind = match words[0].as_bytes().last() {
            Some(b'd') => "Data",
            Some(b'i') => "Instruction",
            _ => "Unified",
        };
        for (number, group) in groups.iter().enumerate() {
            for &cpu in group {
                let index = self.index_of(cpu);
                let folder = format!("{CPU}/cpu{cpu}/cache/index{index}");
                self.put(&format!("{folder}/level"), &words[0][1..2]);
                self.put(&format!("{folder}/type"), kind);
                self.put(&format!("{folder}/size"), words[1]);
                self.put(&format!("{folder}/ways_of_associativity"), words[2]);
                self.put(&format!("{folder}/coherency_line_size"), "64");
                let path = format!("{folder}/shared_cpu_map");
                self.put(&path, &mask(group));
                if has_ids {
                    self.put(&format!("{folder}/id"), &number.to_string());
                }
            }
        }
    }

    /// The next free index of a CPU's caches.
    fn index_of(&self, cpu: u32) -> usize {
        let taken =
            |index: &usize| self.files.contains_key(&format!("{CPU}/cpu{cpu}/cache/index{index}/level"));
        (0..).take_while(taken).count()
    }

    /// `NUMBER LIST|- KIB DISTANCE…`
    fn node(&mut self, words: &[&str]) {
        let folder = format!("sys/devices/system/node/node{}", words[0]);
        let group = if words[1] == "-" { Vec::new() } else { self.named(&words[1..2]).concat() };
        self.put(&format!("{folder}/cpumap"), &mask(&group));
        self.put(&format!("{folder}/meminfo"), &format!("\nNode {} MemTotal: {:>14} kB", words[0], words[2]));
        self.put(&format!("{folder}/distance"), &words[3..].join(" "));
    }

    /// `LIST key : value; key : value`
    fn describe(&mut self, rest: &str) {
        let (list, lines) = rest.split_once(' ').expect("a list and lines");
        for cpu in cpus(list) {
            let text = lines.replace("; ", "\n");
            self.described.insert(cpu, format!("processor\t: {cpu}\n{text}\n\n"));
        }
    }

    fn finish(&mut self) {
        if !self.described.is_empty() {
            let text: String = self.described.values().map(String::as_str).collect();
            self.files.insert("proc/cpuinfo".to_owned(), text);
        }
    }
}

/// `0-3,8`.
fn cpus(list: &str) -> Cpus {
    let number = |digits: &str| -> u32 { digits.parse().unwrap_or_else(|_| panic!("`{list}` is no list")) };
    let range = |part: &str| match part.split_once('-') {
        Some((low, high)) => (number(low)..=number(high)).collect(),
        None => vec![number(part)],
    };
    list.split(',').flat_map(range).collect()
}

/// `0-3`: one set. `0-7/2`: sets of two. `0-7*`: one of each. `0-7+8` after either: with the CPUs 8 further on.
fn sets(word: &str) -> Vec<Cpus> {
    let (word, further) = match word.split_once('+') {
        Some((word, distance)) => (word, Some(cpus(distance)[0])),
        None => (word, None),
    };
    let chunks = match (word.strip_suffix('*'), word.split_once('/')) {
        (Some(list), _) => cpus(list).chunks(1).map(<[u32]>::to_vec).collect(),
        (_, Some((list, size))) => cpus(list).chunks(cpus(size)[0] as usize).map(<[u32]>::to_vec).collect(),
        _ => vec![cpus(word)],
    };
    let extended = |chunk: Cpus| {
        let more: Cpus =
            further.iter().flat_map(|distance| chunk.iter().map(move |cpu| cpu + distance)).collect();
        [chunk, more].concat()
    };
    chunks.into_iter().map(extended).collect()
}

/// Words of 32 bits in hexadecimal, the lowest last.
fn mask(cpus: &[u32]) -> String {
    let mut words = vec![0u32; cpus.iter().max().map_or(1, |&last| last as usize / 32 + 1)];
    cpus.iter().for_each(|&cpu| words[cpu as usize / 32] |= 1 << (cpu % 32));
    let hex: Vec<String> = words.iter().rev().map(|word| format!("{word:08x}")).collect();
    hex.join(",")
}
