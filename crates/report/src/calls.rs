//! Stacks of a profile, prepared for drawing, listing and export: paths of calls, and the tree that they form.

use std::collections::{BTreeSet, HashMap};

use fauxplat_model::{Profile, ProfileFindings, ProfileQuality, ProfiledFrame, StackEnd};

/// Name that stands for callers beyond the part of the stack that was copied.
const TRUNCATED: &str = "[truncated]";
/// Name that stands for callers that unwinding could not find.
const BROKEN: &str = "[broken]";
/// Name that stands for samples without a stack.
const NO_STACK: &str = "[no stack]";
/// Name of the root of all stacks.
const ALL: &str = "all";

/// The kind of code of a call, as far as readers need to distinguish it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// No code: the root, a process, or a mark for missing callers.
    Frame,
    User,
    /// A function that was inlined into its caller.
    Inlined,
    Kernel,
    /// Code that the process generated itself.
    Jit,
    /// Code without a name.
    Unknown,
}

impl Kind {
    pub(crate) const OF_CODE: [Kind; 5] = [Kind::User, Kind::Inlined, Kind::Kernel, Kind::Jit, Kind::Unknown];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Frame => "process",
            Kind::User => "program and libraries",
            Kind::Inlined => "inlined",
            Kind::Kernel => "kernel",
            Kind::Jit => "JIT",
            Kind::Unknown => "without a name",
        }
    }
}

pub(crate) fn kind(found: &ProfileFindings, frame: &ProfiledFrame) -> Kind {
    let object = frame.object.and_then(|place| found.objects.get(place as usize));
    match frame {
        frame if frame.is_unknown => Kind::Unknown,
        frame if frame.is_kernel => Kind::Kernel,
        _ if object.is_some_and(|object| object.path == "[jit]") => Kind::Jit,
        frame if frame.is_inlined => Kind::Inlined,
        _ => Kind::User,
    }
}

/// A stack with the number of its samples in each profile, from the process to the innermost function.
pub(crate) struct Way<'f> {
    /// Name of the process; empty if it is unknown.
    pub(crate) process: &'f str,
    /// A mark for missing callers, between the process and the frames; `None` if the stack is complete.
    pub(crate) mark: Option<&'static str>,
    /// Indices of frames, the outermost function first.
    pub(crate) frames: &'f [u32],
    samples: Vec<u64>,
    events: Vec<u64>,
}

impl Way<'_> {
    /// Number of samples with this stack in one profile, which is given by its index.
    pub(crate) fn samples(&self, profile: usize) -> u64 {
        self.samples.get(profile).copied().unwrap_or(0)
    }

    /// Weight of the stack's samples in one profile: the number of events that they represent, or their own number if
    /// all represent equally many.
    pub(crate) fn events(&self, profile: usize) -> u64 {
        self.events.get(profile).copied().unwrap_or(0)
    }
}

/// The unit of [`Way::events`], singular and plural.
pub(crate) fn unit(found: &ProfileFindings) -> [&'static str; 2] {
    match found.stacks.iter().all(|stack| stack.events.is_empty()) {
        true => ["sample", "samples"],
        false => ["event", "events"],
    }
}

/// All stacks of all profiles. Their samples add up to all samples, including those without a known stack.
pub(crate) fn ways(found: &ProfileFindings) -> Vec<Way<'_>> {
    let mut ways: Vec<Way> = Vec::with_capacity(found.stacks.len() + 1);
    for stack in &found.stacks {
        let mark = match stack.end {
            _ if stack.frames.is_empty() => Some(NO_STACK),
            StackEnd::Whole => None,
            StackEnd::Truncated => Some(TRUNCATED),
            StackEnd::Broken => Some(BROKEN),
        };
        ways.push(Way {
            process: &stack.process,
            mark,
            frames: &stack.frames,
            samples: stack.samples.clone(),
            events: (0..found.profiles.len()).map(|profile| stack.weight(profile).events).collect(),
        });
    }
    let rest = |known: fn(&Way, usize) -> u64, all: fn(&ProfileQuality) -> u64| -> Vec<u64> {
        let of = |(at, profile): (usize, &Profile)| {
            all(&profile.quality).saturating_sub(ways.iter().map(|way| known(way, at)).sum())
        };
        found.profiles.iter().enumerate().map(of).collect()
    };
    let (samples, events) = (
        rest(|way, at| way.samples(at), |it| it.samples),
        rest(|way, at| way.events(at), ProfileQuality::weight),
    );
    if samples.iter().any(|&samples| samples > 0) {
        ways.push(Way { process: "", mark: Some(NO_STACK), frames: &[], samples, events });
    }
    ways
}

/// The frames of a stack with their indices in the profile; indices without a frame are left out.
pub(crate) fn frames<'f>(
    found: &'f ProfileFindings,
    places: &'f [u32],
) -> impl DoubleEndedIterator<Item = (u32, &'f ProfiledFrame)> {
    places.iter().filter_map(|&place| Some((place, found.frames.get(place as usize)?)))
}

pub(crate) struct Call<'f> {
    pub(crate) name: &'f str,
    pub(crate) kind: Kind,
    /// Number of callers of this call; 0 for the root.
    pub(crate) depth: usize,
    /// Weight of the samples in the function and its callees, for each profile.
    pub(crate) events: Vec<u64>,
    pub(crate) callees: Vec<usize>,
}

/// The calls of all stacks as a tree: each comes after its caller, and the first is the root.
pub(crate) struct CallTree<'f> {
    pub(crate) calls: Vec<Call<'f>>,
}

impl<'f> CallTree<'f> {
    /// The tree of the stacks of some profiles, which are given by their indices. Processes are branches if they
    /// distinguish stacks.
    ///
    /// Frames of one function under the same caller are one call, whatever their lines, so that two versions of a
    /// program have the same tree.
    pub(crate) fn of(found: &'f ProfileFindings, profiles: &[usize]) -> Self {
        let ways = ways(found);
        let has_processes = has_processes(&ways, profiles);
        let trunk = Call {
            name: ALL,
            kind: Kind::Frame,
            depth: 0,
            events: vec![0; profiles.len()],
            callees: Vec::new(),
        };
        let mut tree = CallTree { calls: vec![trunk] };
        let mut known = HashMap::new();
        for way in &ways {
            let events: Vec<u64> = profiles.iter().map(|&profile| way.events(profile)).collect();
            if events.iter().all(|&events| events == 0) {
                continue;
            }
            let process = Some(way.process).filter(|name| has_processes && !name.is_empty());
            let above = process.into_iter().chain(way.mark).map(|name| (name, Kind::Frame));
            let code = frames(found, way.frames).map(|(_, frame)| (frame.name.as_str(), kind(found, frame)));
            tree.add(&mut known, above.chain(code), &events);
        }
        tree
    }

    fn add(
        &mut self,
        known: &mut HashMap<(usize, &'f str, Kind), usize>,
        way: impl Iterator<Item = (&'f str, Kind)>,
        events: &[u64],
    ) {
        let mut at = 0;
        self.calls[at].count(events);
        for (name, kind) in way {
            at = *known.entry((at, name, kind)).or_insert_with(|| {
                let call = Call {
                    name,
                    kind,
                    depth: self.calls[at].depth + 1,
                    events: vec![0; events.len()],
                    callees: Vec::new(),
                };
                self.calls.push(call);
                let place = self.calls.len() - 1;
                self.calls[at].callees.push(place);
                place
            });
            self.calls[at].count(events);
        }
    }

    /// The root, which contains every sample.
    pub(crate) fn trunk(&self) -> &Call<'f> {
        &self.calls[0]
    }
}

/// Whether processes are levels of the tree: every profile has the same processes, and more than one. Two versions of a
/// program have different process names and would have no call in common below them.
fn has_processes(ways: &[Way], profiles: &[usize]) -> bool {
    let of = |profile: usize| -> BTreeSet<&str> {
        let own = ways.iter().filter(|way| way.samples(profile) > 0 && !way.process.is_empty());
        own.map(|way| way.process).collect()
    };
    let Some((&first, others)) = profiles.split_first() else { return false };
    let names = of(first);
    names.len() > 1 && others.iter().all(|&other| of(other) == names)
}

impl Call<'_> {
    fn count(&mut self, events: &[u64]) {
        for (sum, more) in self.events.iter_mut().zip(events) {
            *sum = sum.saturating_add(*more);
        }
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_model::{Profile, ProfileQuality, ProfiledStack};

    use super::*;

    fn found() -> ProfileFindings {
        let frame = |name: &str| ProfiledFrame { name: name.into(), ..ProfiledFrame::default() };
        let stack = |process: &str, frames: &[u32], end, samples: u64| ProfiledStack {
            frames: frames.to_vec(),
            process: process.into(),
            end,
            samples: vec![samples],
            ..ProfiledStack::default()
        };
        let quality = ProfileQuality { samples: 20, ..ProfileQuality::default() };
        ProfileFindings {
            profiles: vec![Profile { quality, ..Profile::default() }],
            frames: ["main", "f"].map(frame).to_vec(),
            stacks: vec![
                stack("p", &[0, 1, 1, 1], StackEnd::Whole, 5),
                stack("p", &[0, 1], StackEnd::Whole, 3),
                stack("p", &[1, 99], StackEnd::Truncated, 4),
            ],
            ..ProfileFindings::default()
        }
    }

    #[test]
    fn a_tree_has_every_sample_once() {
        let found = found();
        let tree = CallTree::of(&found, &[0]);
        let shown: Vec<(&str, usize, u64)> =
            tree.calls.iter().map(|call| (call.name, call.depth, call.events[0])).collect();
        let expected = [
            ("all", 0, 20),
            ("main", 1, 8),
            ("f", 2, 8),
            ("f", 3, 5),
            ("f", 4, 5),
            ("[truncated]", 1, 4),
            ("f", 2, 4),
            ("[no stack]", 1, 8),
        ];
        assert_eq!(shown, expected);
        assert_eq!(tree.trunk().callees.len(), 3);
    }

    #[test]
    fn processes_are_branches_where_there_are_several() {
        let mut found = found();
        found.stacks[2].process = "q".into();
        let tree = CallTree::of(&found, &[0]);
        let branches: Vec<&str> = tree.trunk().callees.iter().map(|&place| tree.calls[place].name).collect();
        assert_eq!(branches, ["p", "q", "[no stack]"]);
    }

    #[test]
    fn a_kind_is_the_most_surprising_of_what_a_frame_is() {
        let found = found();
        let frame = ProfiledFrame { is_kernel: true, is_inlined: true, ..ProfiledFrame::default() };
        assert_eq!(kind(&found, &frame), Kind::Kernel);
        assert_eq!(kind(&found, &ProfiledFrame { is_unknown: true, ..frame }), Kind::Unknown);
        assert!(Kind::OF_CODE.iter().all(|kind| !kind.name().is_empty()));
    }
}
