//! Translates settings into single changes of this machine, and gives reasons for changes that cannot be made.

use fauxplat_model::{KnobChange, KnobOutcome, KnobScope};
use fauxplat_procfs::cgroup;
use fauxplat_units::{Cpu, CpuSet};

use crate::changes::{Action, Snapshot};
use crate::cpusets::{Cpusets, OTHERS, SHIELD};
use crate::hotplug::{self, Stays};
use crate::knob::{Form, Group, KnobLocation, Own, Values, beside};
use crate::profile::Settings;
use crate::repair::cpus;
use crate::setting::Setting;
use crate::{Root, cpusets};

/// Scope in which settings may be made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reach {
    /// Whether the caller runs a command, to which settings of a single process can be applied.
    pub(crate) command: bool,
    /// Whether knobs are turned for the whole machine even if a setting of the command's process would have the same
    /// effect.
    pub(crate) machine_wide: bool,
}

/// A change of the machine that is planned and not made yet.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) knob: String,
    pub(crate) group: Group,
    pub(crate) action: Action,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// Settings of the command's process, or of an open descriptor: name of the knob, kind of setting, value.
    pub(crate) own: Vec<(String, Own, String)>,
    /// Reports about changes that are not needed or not possible.
    pub(crate) told: Vec<KnobChange>,
    /// Notes about conditions that may spoil the effect of the settings.
    pub(crate) notes: Vec<String>,
}

/// Plans the changes that these settings need; reads the machine and writes nothing.
pub(crate) fn plan(root: &Root, settings: &Settings, reach: Reach) -> Plan {
    let mut planner =
        Planner { root, reach, plan: Plan::default(), going: CpuSet::new(), shielded: CpuSet::new() };
    for setting in &settings.chosen {
        planner.add(setting);
    }
    planner.finish()
}

struct Planner<'a> {
    root: &'a Root,
    reach: Reach,
    plan: Plan,
    /// CPUs that the plan takes offline.
    going: CpuSet,
    /// CPUs that the plan takes away from all tasks but the command.
    shielded: CpuSet,
}

impl Planner<'_> {
    fn add(&mut self, setting: &Setting) {
        let own = setting.knob.own.filter(|(_, only)| only.is_empty() || *only == setting.value);
        let machine = !setting.knob.places.is_empty();
        match own {
            Some((own, _)) if self.reach.command && !(self.reach.machine_wide && machine) => {
                self.plan.own.push((setting.name.clone(), own, setting.value.clone()));
            }
            Some((own, _)) if !machine => {
                self.tell(
                    setting,
                    own.call(),
                    KnobOutcome::Refused,
                    "it lasts as long as a command, so it needs one: --for CMD",
                );
            }
            Some((own, _)) if !self.reach.machine_wide => {
                let why =
                    "this can be set for one command (--for CMD); --machine-wide sets it for every program";
                self.tell(setting, own.call(), KnobOutcome::Refused, why);
            }
            _ => self.add_for_the_machine(setting),
        }
    }

    fn add_for_the_machine(&mut self, setting: &Setting) {
        match (setting.knob.name, setting.cpu.as_deref().and_then(|cpu| cpu.parse().ok()).map(Cpu)) {
            ("irq-affinity", _) => self.add_interrupts(setting),
            ("shield", _) => self.add_shield(setting),
            ("smt", _) => self.add_smt(setting),
            ("cpu:", Some(cpu)) => self.add_offline(setting, cpu),
            ("smt-sibling-of:", Some(cpu)) => self.add_siblings(setting, cpu),
            _ => self.add_files(setting),
        }
    }

    fn tell(&mut self, setting: &Setting, target: &str, outcome: KnobOutcome, why: &str) {
        self.plan.told.push(KnobChange {
            knob: setting.name.clone(),
            target: target.to_owned(),
            scope: KnobScope::Machine,
            wanted: setting.value.clone(),
            outcome,
            reason: (!why.is_empty()).then(|| why.to_owned()),
            ..KnobChange::default()
        });
    }

    fn push(&mut self, setting: &Setting, action: Action) {
        let (knob, group) = (setting.name.clone(), setting.knob.group);
        self.plan.steps.push(Step { knob, group, action });
    }

    fn push_write(&mut self, setting: &Setting, file: String, form: Form, want: String) {
        self.push(setting, Action::Write { file, form, old: String::new(), want });
    }

    /// Plans the writes for a knob whose setting is in one file, or in one file per CPU.
    fn add_files(&mut self, setting: &Setting) {
        let places = setting.knob.places;
        let found = places.iter().map(|place| (place, place.files(self.root)));
        let Some((place, files)) = found.into_iter().find(|(_, files)| !files.is_empty()) else {
            let target = places.first().map_or("", |place| place.pattern);
            self.tell(setting, &format!("/{target}"), KnobOutcome::Absent, "");
            return;
        };
        for file in files {
            match value_for(self.root, setting, place, &file) {
                Some(want) => self.push_write(setting, file, place.form, want),
                None => {
                    let why = "the driver gives no such value";
                    self.tell(setting, &format!("/{file}"), KnobOutcome::Absent, why);
                }
            }
        }
    }

    /// Plans to move interrupts away from the CPUs of the setting.
    fn add_interrupts(&mut self, setting: &Setting) {
        let away: CpuSet = setting.value.trim_start_matches("away:").parse().unwrap_or_default();
        let rest = cpus(self.root, "online").without(&away);
        if rest.is_empty() {
            let why = "no CPU would be left for interrupts";
            return self.tell(setting, "/proc/irq", KnobOutcome::Refused, why);
        }
        for file in self.root.glob("proc/irq/*/smp_affinity_list") {
            let now = self.root.value(&file).and_then(|list| list.parse::<CpuSet>().ok()).unwrap_or_default();
            if now.intersection(&away).is_empty() {
                continue;
            }
            let kept = now.without(&away).intersection(&rest);
            let want = if kept.is_empty() { &rest } else { &kept };
            self.push_write(setting, file, Form::Plain, want.to_string());
        }
        if balancer_runs(self.root) {
            let note = "irqbalance runs and may move interrupts back: stop it for the time of the experiment";
            self.plan.notes.push(note.to_owned());
        }
    }

    /// Plans to take second hardware threads offline one by one, since the kernel's own switch would later also bring
    /// back threads that had been offline before.
    fn add_smt(&mut self, setting: &Setting) {
        const CONTROL: &str = "sys/devices/system/cpu/smt/control";
        const TARGET: &str = "/sys/devices/system/cpu/smt/control";
        match self.root.value(CONTROL).as_deref() {
            Some("on") => {
                let second = hotplug::second_threads(self.root);
                if second.is_empty() {
                    self.tell(setting, TARGET, KnobOutcome::Already, "no second thread is online");
                }
                second.iter().for_each(|cpu| self.add_offline(setting, cpu));
            }
            Some("off" | "forceoff") => self.tell(setting, TARGET, KnobOutcome::Already, "it is off"),
            _ => self.tell(setting, TARGET, KnobOutcome::Absent, "this machine has one thread per core"),
        }
    }

    fn add_siblings(&mut self, setting: &Setting, cpu: Cpu) {
        let siblings = hotplug::siblings(self.root, cpu);
        if siblings.is_empty() {
            let why = format!("CPU {cpu} shares its core with no other");
            return self.tell(setting, "/sys/devices/system/cpu", KnobOutcome::Absent, &why);
        }
        siblings.iter().for_each(|sibling| self.add_offline(setting, sibling));
    }

    fn add_offline(&mut self, setting: &Setting, cpu: Cpu) {
        let file = hotplug::file(cpu);
        let (outcome, why) = match hotplug::objection(self.root, cpu, &self.going) {
            None => {
                self.going.insert(cpu);
                return self.push_write(setting, file, Form::Plain, "0".to_owned());
            }
            Some(Stays::Already) => (KnobOutcome::Already, format!("CPU {cpu} is off already")),
            Some(Stays::Absent(why)) => (KnobOutcome::Absent, why),
            Some(Stays::Refused(why)) => (KnobOutcome::Refused, why),
        };
        self.tell(setting, &format!("/{file}"), outcome, &why);
    }

    /// Plans to take the CPUs of the setting away from all tasks but the command.
    fn add_shield(&mut self, setting: &Setting) {
        let shield: CpuSet = setting.value.parse().unwrap_or_default();
        let online = cpus(self.root, "online");
        let rest = online.without(&shield);
        let kind = Cpusets::of(self.root);
        let own = kind.map_or_else(String::new, |kind| own_group(self.root, kind));
        let objection = if self.reach.command && !cpusets::is_name(&own) {
            // Once moved, this process could not be moved back to a group outside the control group namespace.
            let why = format!(
                "this process is in the control group `{own}`, outside of what can be seen from here: \
                 tune outside of the container"
            );
            Some((KnobOutcome::Refused, why))
        } else if !shield.without(&online).is_empty() {
            Some((KnobOutcome::Refused, format!("CPU {} is not online", shield.without(&online))))
        } else if rest.is_empty() {
            Some((KnobOutcome::Refused, "no CPU would be left for the other tasks".to_owned()))
        } else {
            None
        };
        if let Some((outcome, why)) = objection {
            return self.tell(setting, "/sys/fs/cgroup", outcome, &why);
        }
        match kind {
            Some(Cpusets::V1) => self.shield_v1(setting, &shield, &rest, &own),
            Some(Cpusets::V2) => self.shield_v2(setting, &shield, &own),
            None => {
                return self.tell(
                    setting,
                    "/sys/fs/cgroup",
                    KnobOutcome::Absent,
                    "there are no cpusets here",
                );
            }
        }
        self.shielded = shield;
    }

    /// Plans two cpusets of version 1: one for the command, and one for all tasks that are to leave the shielded CPUs.
    fn shield_v1(&mut self, setting: &Setting, shield: &CpuSet, rest: &CpuSet, own: &str) {
        let kind = Cpusets::V1;
        let (base, own) = (kind.base(), kind.folder(own));
        let mems = self.root.value(&format!("{base}/cpuset.mems")).unwrap_or_default();
        let (ours, theirs) = (format!("{base}/{SHIELD}"), format!("{base}/{OTHERS}"));
        for (path, cpus) in [(&theirs, rest), (&ours, shield)] {
            let settings = [("cpuset.cpus", cpus.to_string()), ("cpuset.mems", mems.clone())];
            let settings = settings.map(|(name, value)| (name.to_owned(), value)).to_vec();
            self.push(setting, Action::Folder { path: path.clone(), settings });
        }
        self.note_neighbours(shield, &own);
        self.enter(setting, format!("{own}/cgroup.procs"), format!("{ours}/cgroup.procs"));
        let all = Action::Move { from: format!("{base}/tasks"), to: format!("{theirs}/tasks"), only: None };
        self.push(setting, all);
    }

    /// Notes other cpusets that share CPUs with the shield. Their tasks stay, since somebody gave these CPUs to the
    /// cpusets on purpose.
    fn note_neighbours(&mut self, shield: &CpuSet, own: &str) {
        let stays = |(folder, cpus): (String, String)| {
            let meet = !cpus.parse::<CpuSet>().ok()?.intersection(shield).is_empty();
            let listed = self.root.read_list(&format!("{folder}/cgroup.procs"));
            let us = std::process::id().to_string();
            // The process of fauxplat itself leaves its cpuset for that of the shield, so it does not stay.
            let leaves = |process: &str| self.reach.command && folder == own && process == us;
            let has_tasks = listed.split_whitespace().any(|process| !leaves(process));
            (meet && has_tasks && !cpusets::is_ours(&folder))
                .then(|| folder[Cpusets::V1.base().len()..].to_owned())
        };
        let names: Vec<String> = Cpusets::forgetful(self.root).into_iter().filter_map(stays).collect();
        if !names.is_empty() {
            self.plan.notes.push(format!(
                "tasks of the cpusets {} may run on CPUs of the shield ({shield}) and stay there: give these cpusets \
                 other CPUs for the time of the experiment",
                names.join(", ")
            ));
        }
    }

    /// Plans an isolated partition of version 2: the kernel moves other tasks away from its CPUs, and back when the
    /// partition ends.
    fn shield_v2(&mut self, setting: &Setting, shield: &CpuSet, own: &str) {
        let kind = Cpusets::V2;
        let (base, own) = (kind.base(), kind.folder(own));
        let ours = format!("{base}/{SHIELD}");
        self.push_write(
            setting,
            format!("{base}/cgroup.subtree_control"),
            Form::Controllers,
            "+cpuset".into(),
        );
        let settings =
            [("cpuset.cpus", shield.to_string()), ("cpuset.cpus.partition", "isolated".to_owned())];
        let settings = settings.map(|(name, value)| (name.to_owned(), value)).to_vec();
        self.push(setting, Action::Folder { path: ours.clone(), settings });
        self.enter(setting, format!("{own}/cgroup.procs"), format!("{ours}/cgroup.procs"));
    }

    /// Plans to move this process into the control group `to`, which the command inherits.
    fn enter(&mut self, setting: &Setting, from: String, to: String) {
        if self.reach.command {
            self.push(setting, Action::Move { from, to, only: Some(std::process::id()) });
        }
    }

    /// Returns the plan, with a snapshot of affinities before the first step that takes CPUs away from tasks.
    fn finish(mut self) -> Plan {
        let removed: CpuSet = self.going.iter().chain(self.shielded.iter()).collect();
        let first = self.plan.steps.iter().position(|step| step.group == Group::Tasks);
        if let Some(first) = first.filter(|_| !removed.is_empty()) {
            let action = Action::Snapshot(Snapshot { removed, ..Snapshot::default() });
            let knob = self.plan.steps[first].knob.clone();
            self.plan.steps.insert(first, Step { knob, group: Group::Tasks, action });
        }
        self.plan
    }
}

/// Returns the value that the setting needs in this file of the knob; `None` if there is no file with the named
/// frequency.
fn value_for(root: &Root, setting: &Setting, place: &KnobLocation, file: &str) -> Option<String> {
    if setting.knob.values == Values::Frequency {
        let beside = |name: &str| root.value(&beside(file, name));
        return match setting.value.as_str() {
            "min" => beside("cpuinfo_min_freq"),
            "max" => beside("cpuinfo_max_freq"),
            "base" => beside("base_frequency"),
            number => Some(number.to_owned()),
        };
    }
    let meaning = place.words.iter().find(|(word, _)| *word == setting.value);
    Some(meaning.map_or(setting.value.clone(), |(_, text)| (*text).to_owned()))
}

/// Returns the path of this process's control group in the hierarchy of cpusets; `/` if it cannot be read.
fn own_group(root: &Root, kind: Cpusets) -> String {
    let named = match kind {
        Cpusets::V1 => root.value("proc/self/cpuset"),
        Cpusets::V2 => cgroup::path_v2(&root.read_list("proc/self/cgroup")).map(str::to_owned),
    };
    named.unwrap_or_else(|| "/".to_owned())
}

fn balancer_runs(root: &Root) -> bool {
    root.glob("proc/*/comm").iter().any(|file| root.value(file).is_some_and(|name| name == "irqbalance"))
}
