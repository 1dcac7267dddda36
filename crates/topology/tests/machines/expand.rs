//! Expands a description of a machine in `fixtures/sysfs/machines` to the tree of files that its kernel would show.
//!
//! `fixtures/sysfs/README.md` describes the lines of a description.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

type Cpus = Vec<u32>;

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
    /// The sets of CPUs of each level, which later lines may refer to by the level's name.
    sets: BTreeMap<String, Vec<Cpus>>,
    /// Lines of `/proc/cpuinfo` per CPU; `behind` holds the lines after the last CPU.
    described: BTreeMap<u32, String>,
    behind: String,
    style: Style,
}

/// Form and names of the files with the CPUs of a group.
#[derive(Default)]
enum Style {
    /// Masks under the older names, such as `core_siblings`.
    #[default]
    Old,
    /// Masks under the newer names, such as `package_cpus`.
    New,
    /// Lists under the older names, such as `core_siblings_list`.
    Lists,
}

const CPU: &str = "sys/devices/system/cpu";

impl Machine {
    fn line(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        match word {
            "online" => self.online(rest),
            "folders" => self.each(&[rest, ""], "uevent"),
            "style" => self.style = Style::of(rest),
            "without" => self.without(&cpus(words[0]), words.get(1).copied()),
            "value" => self.each(&words[1..], words[0]),
            "mask" => self.masks(&cpus(words[1]), words[0], words[2]),
            "present" | "possible" | "isolated" | "nohz_full" => self.put(&format!("{CPU}/{word}"), rest),
            "core" | "package" | "die" | "cluster" | "book" | "drawer" => self.group(word, &words),
            "core_id" => self.each(&words, "topology/core_id"),
            "capacity" => self.each(&words, "cpu_capacity"),
            "khz" => self.each(&words, "cpufreq/cpuinfo_max_freq"),
            "cache" => self.cache(&words),
            "node" => self.node(&words),
            "events" => self.put(&format!("sys/devices/{}/cpus", words[0]), words[1]),
            "cpuinfo" => self.describe(rest),
            "absent" => drop(self.files.remove(words[0])),
            "s390" => {
                let line = |cpu: &u32| format!("processor {cpu}: version = FF, identification = 0133E8\n");
                self.behind = format!(
                    "vendor_id       : IBM/S390\n{}",
                    cpus(rest).iter().map(line).collect::<String>()
                );
            }
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

    /// Removes a file or folder of these CPUs, or, without a name, all files of these CPUs.
    fn without(&mut self, cpus: &[u32], name: Option<&str>) {
        for cpu in cpus {
            let gone =
                name.map_or_else(|| format!("{CPU}/cpu{cpu}"), |name| format!("{CPU}/cpu{cpu}/{name}"));
            let is_gone = |path: &str| {
                path.strip_prefix(&gone).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            self.files.retain(|path, _| !is_gone(path));
        }
    }

    /// Writes the same mask to a file of each CPU in `of`; `-` is an empty mask.
    fn masks(&mut self, of: &[u32], file: &str, set: &str) {
        let group = if set == "-" { Vec::new() } else { sets(set).concat() };
        for cpu in of {
            self.put(&format!("{CPU}/cpu{cpu}/{file}"), &mask(&group));
        }
    }

    /// The sets that words name: lists, or the level of an earlier line. Options such as `ids=3` are skipped.
    fn named(&self, words: &[&str]) -> Vec<Cpus> {
        let sets = words.iter().filter(|word| !word.contains('=') && **word != "ids");
        sets.flat_map(|word| self.sets.get(*word).cloned().unwrap_or_else(|| self::sets(word))).collect()
    }

    fn group(&mut self, level: &str, words: &[&str]) {
        let (old, new, id) = match level {
            "core" => ("thread_siblings", "core_cpus", "core_id"),
            "package" => ("core_siblings", "package_cpus", "physical_package_id"),
            "die" => ("die_cpus", "die_cpus", "die_id"),
            "cluster" => ("cluster_cpus", "cluster_cpus", "cluster_id"),
            "book" => ("book_siblings", "book_cpus", "book_id"),
            _ => ("drawer_siblings", "drawer_cpus", "drawer_id"),
        };
        let groups = self.named(words);
        let ids = ids(words).unwrap_or_else(|| (0..groups.len()).map(|number| number.to_string()).collect());
        for (number, group) in groups.iter().enumerate() {
            for cpu in group {
                let (file, text) = match self.style {
                    Style::Old => (old.to_owned(), mask(group)),
                    Style::New => (new.to_owned(), mask(group)),
                    Style::Lists => (format!("{old}_list"), list(group)),
                };
                self.put(&format!("{CPU}/cpu{cpu}/topology/{file}"), &text);
                if !ids.is_empty() {
                    self.put(&format!("{CPU}/cpu{cpu}/topology/{id}"), &ids[number % ids.len()]);
                }
            }
        }
        self.sets.insert(level.to_owned(), groups);
    }

    /// Follows the words `LIST VALUE,VALUE…`: writes a file of each CPU in the list, taking the values in turns.
    fn each(&mut self, words: &[&str], file: &str) {
        let values = values(words[1]);
        for (place, cpu) in cpus(words[0]).into_iter().enumerate() {
            self.put(&format!("{CPU}/cpu{cpu}/{file}"), &values[place % values.len()]);
        }
    }

    /// Adds caches by the words `L1d 32K WAYS SETS…`, with the option `ids` for numbered identifiers, and `ids=`,
    /// `index=`, `line=`, `map=` or `of=`.
    fn cache(&mut self, words: &[&str]) {
        let option = |name: &str| words.iter().find_map(|word| word.strip_prefix(name));
        let groups = self.named(&words[3..]);
        let numbers = || (0..groups.len()).map(|number| number.to_string()).collect();
        let ids = if words.contains(&"ids") { Some(numbers()) } else { ids(words) };
        let line = option("line=").unwrap_or("64");
        let of = option("of=").map(cpus);
        for (number, group) in groups.iter().enumerate() {
            let has = |cpu: &&u32| of.as_ref().is_none_or(|of| of.contains(cpu));
            for &cpu in group.iter().filter(has) {
                let index = option("index=").map_or_else(|| self.index_of(cpu).to_string(), str::to_owned);
                let folder = format!("{CPU}/cpu{cpu}/cache/index{index}");
                let mut put = |name: &str, text: &str| {
                    if text != "-" {
                        self.put(&format!("{folder}/{name}"), text);
                    }
                };
                put("level", &words[0][1..2]);
                put("type", kind_of(words[0]));
                put("size", words[1]);
                put("ways_of_associativity", words[2]);
                put("coherency_line_size", line);
                match option("map=") {
                    None => put("shared_cpu_map", &mask(group)),
                    Some("absent") => {}
                    Some("list") => put("shared_cpu_list", &list(group)),
                    Some(_) => put("shared_cpu_map", &mask(&[])),
                }
                if let Some(ids) = &ids {
                    put("id", &ids[number % ids.len()]);
                }
            }
        }
    }

    /// The lowest free index of a CPU's caches.
    fn index_of(&self, cpu: u32) -> usize {
        let taken =
            |index: &usize| self.files.contains_key(&format!("{CPU}/cpu{cpu}/cache/index{index}/level"));
        (0..).take_while(taken).count()
    }

    /// Adds a NUMA node by the words `NUMBER LIST|- KIB DISTANCE…`.
    fn node(&mut self, words: &[&str]) {
        let folder = format!("sys/devices/system/node/node{}", words[0]);
        let group = if words[1] == "-" { Vec::new() } else { self.named(&words[1..2]).concat() };
        self.put(&format!("{folder}/cpumap"), &mask(&group));
        if words[2] != "-" {
            self.put(
                &format!("{folder}/meminfo"),
                &format!("\nNode {} MemTotal: {:>14} kB", words[0], words[2]),
            );
        }
        if words.len() > 3 {
            self.put(&format!("{folder}/distance"), &words[3..].join(" "));
        }
    }

    /// Adds lines of `/proc/cpuinfo` for some CPUs by the text `LIST key : value; key : value`.
    fn describe(&mut self, rest: &str) {
        let (list, lines) = rest.split_once(' ').unwrap_or((rest, ""));
        let text = lines.replace("; ", "\n");
        if list == "-" {
            self.behind = format!("{text}\n");
            return;
        }
        for cpu in cpus(list) {
            self.described.insert(cpu, format!("processor\t: {cpu}\n{text}\n\n"));
        }
    }

    fn finish(&mut self) {
        let text: String = self.described.values().chain([&self.behind]).map(String::as_str).collect();
        if !text.is_empty() {
            self.files.insert("proc/cpuinfo".to_owned(), text);
        }
    }
}

impl Style {
    fn of(word: &str) -> Self {
        match word {
            "old" => Style::Old,
            "new" => Style::New,
            "lists" => Style::Lists,
            other => panic!("`{other}` is no style"),
        }
    }
}

fn kind_of(cache: &str) -> &'static str {
    match cache.as_bytes().last() {
        Some(b'd') => "Data",
        Some(b'i') => "Instruction",
        _ => "Unified",
    }
}

/// The identifiers of the option `ids=3,5-7`, for the sets in turns. Empty for `ids=none`; `None` without the option.
fn ids(words: &[&str]) -> Option<Vec<String>> {
    let stated = words.iter().find_map(|word| word.strip_prefix("ids="))?;
    Some(if stated == "none" { Vec::new() } else { values(stated) })
}

/// The values of a list such as `3,5-7,-1`, with ranges expanded.
fn values(text: &str) -> Vec<String> {
    let range = |part: &str| match part.split_once('-') {
        Some((low, _)) if !low.is_empty() && low.bytes().all(|byte| byte.is_ascii_digit()) => {
            cpus(part).iter().map(u32::to_string).collect()
        }
        _ => vec![part.to_owned()],
    };
    text.split(',').flat_map(range).collect()
}

/// The CPUs of a list such as `0-3,8`; `0-36:4` means every fourth CPU.
fn cpus(list: &str) -> Cpus {
    let number = |digits: &str| -> u32 { digits.parse().unwrap_or_else(|_| panic!("`{list}` is no list")) };
    let range = |part: &str| {
        let (part, step) = part.split_once(':').map_or((part, 1), |(part, step)| (part, number(step)));
        match part.split_once('-') {
            Some((low, high)) => (number(low)..=number(high)).step_by(step as usize).collect(),
            None => vec![number(part)],
        }
    };
    list.split(',').flat_map(range).collect()
}

/// The sets of a word. `0-3`: one set. `0-7/2`: sets of two. `0-7*`: sets of one. `0-7+8` after any of these: each set
/// with the CPUs 8 numbers higher as well. `0-36:4@4+1`: four sets, each one number higher than the last.
pub(crate) fn sets(word: &str) -> Vec<Cpus> {
    if let Some((first, further)) = word.split_once('@') {
        let (count, distance) = further.split_once('+').unwrap_or_else(|| panic!("`{word}` is no sets"));
        let [count, distance] = [count, distance].map(|digits| cpus(digits)[0]);
        let moved = |by: u32| cpus(first).iter().map(|cpu| cpu + by * distance).collect();
        return (0..count).map(moved).collect();
    }
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

fn list(cpus: &[u32]) -> String {
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// A mask of CPUs in hexadecimal words of 32 bits, the lowest last.
fn mask(cpus: &[u32]) -> String {
    let mut words = vec![0u32; cpus.iter().max().map_or(1, |&last| last as usize / 32 + 1)];
    cpus.iter().for_each(|&cpu| words[cpu as usize / 32] |= 1 << (cpu % 32));
    let hex: Vec<String> = words.iter().rev().map(|word| format!("{word:08x}")).collect();
    hex.join(",")
}
