//! Begins an experiment: tunes and reads the machine, resolves the commands, and prepares the surroundings of their
//! runs.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use fauxplat_launch::LaunchError;
use fauxplat_model::{Background, Command, Definition, Metric, Origin, Placement, Setup, Sources};
use fauxplat_store::{Patience, Store, Url};
use fauxplat_sys::workplace::remove_forgotten;
use fauxplat_sys::{clock, process, signal};
use fauxplat_variants::default_cache;

use crate::counters::Counters;
use crate::doubts::{called_a_number, left_out, look_away, unfilled};
use crate::extra::Extra;
use crate::floor::counter_floors;
use crate::median::median;
use crate::meter::Meters;
use crate::not_measured::not_measured;
use crate::recorder::Recorder;
use crate::surroundings::{self, Groups, ProgramBuilds, Surroundings, around, loads, tuning};
use crate::{Driver, Failure, Launch, Listeners, Machine, commands, header, relation, simulated};

#[derive(Debug)]
pub struct Beginning<'a> {
    pub kind: &'static str,
    pub definition: Definition,
    /// The machine as it was before fauxplat changed any of its settings.
    pub machine: Machine,
    /// Checkout, host and user that the record names as the origin of the experiment.
    pub origin: Origin,
    /// Store in which the experiment is recorded; `None` to record nothing.
    pub store: Option<Store>,
    pub invocation: &'a [String],
    /// Programs of the commands that fauxplat builds; `None` if it builds none.
    pub programs: Option<ProgramBuilds>,
    /// Receivers of the driver's events, such as warnings and progress.
    pub listeners: Listeners,
    /// Starts the launcher of the programs: a spawner, or a simulated launcher.
    pub launch: Launch,
}

/// Folders in which an earlier fauxplat that was killed may have left its workplaces (temporary folders): the default
/// one, memory file systems, `/tmp` as used by compilers, and the cache of built programs.
fn places_of_workplaces() -> BTreeSet<PathBuf> {
    let places = [std::env::temp_dir(), "/dev/shm".into(), "/tmp".into()];
    places.into_iter().chain(default_cache()).collect()
}

/// Number of runs of the empty program: enough for a median, and over in a few milliseconds.
const FLOOR_RUNS: usize = 15;

impl Driver {
    /// Begins an experiment with the commands of its definition.
    ///
    /// # Errors
    /// Fails for an invalid command or condition, or a store that cannot be used.
    pub fn of_commands(beginning: Beginning<'_>) -> Result<Self, Failure> {
        let programs = beginning.programs.as_ref().map(ProgramBuilds::programs).unwrap_or_default();
        Driver::of(beginning, |definition, machine| commands::resolve(definition, machine, &programs))
    }

    /// Begins an experiment whose commands `make` derives from the definition.
    ///
    /// # Errors
    /// Fails as [`Driver::of_commands`] does.
    pub fn of(
        mut beginning: Beginning<'_>,
        make: impl FnOnce(&mut Definition, &Machine) -> Result<Vec<Command>, Failure>,
    ) -> Result<Self, Failure> {
        // If `/proc` shows the process ids of another PID namespace, the files of the runs' processes cannot be found
        // there. The check comes before the machine is changed.
        if beginning.machine.is_live() && !process::proc_shows_our_numbers() {
            return Err(LaunchError::OtherNumbers.into());
        }
        let doubts = simulated::settle(beginning.kind, &mut beginning.definition, &beginning.machine)?;
        let counters = Counters::open(&beginning.definition, &beginning.machine)?;
        let mut meters = Meters::open(&beginning.definition, &counters)?;
        // Opening the meters may have changed the specification of a metric that the rule has already looked up.
        beginning.definition.rule.renew();
        let read = Extra { counters, ..Extra::read_by(&meters) };
        let mut driver = Driver::surrounded(beginning, make)?;
        driver.header.warnings.extend(doubts);
        driver.header.warnings.extend(read.counters.notes.iter().cloned());
        driver.surroundings.groups = Groups::of(&driver.commands)?;
        driver.header.warnings.extend(driver.surroundings.groups.notes());
        let extra = Extra { groups: driver.surroundings.groups.folders(&driver.commands), ..read };
        meters.groups(&extra.groups.concat());
        let mut executor = driver.launch.executor(&driver.commands, &extra)?;
        executor.watch(meters);
        driver.header.sources = executor.sources();
        driver.executor = Some(executor);
        driver.settle_placement();
        driver.begin_loads()?;
        driver.measure_floor();
        driver.read_back(&extra.groups)?;
        Ok(driver)
    }

    /// Begins an experiment whose workers are threads of fauxplat itself.
    ///
    /// # Errors
    /// Fails for a condition that such workers cannot have, and as [`Driver::of_commands`] does.
    pub fn of_workers(beginning: Beginning<'_>) -> Result<Self, Failure> {
        surroundings::refuse_for_workers(&beginning.definition.condition)?;
        let mut driver = Driver::surrounded(beginning, |_, _| Ok(Vec::new()))?;
        // Loads are started first, so that the limit of the workers does not apply to them.
        driver.begin_loads()?;
        let limit = driver.header.condition.limit.clone();
        let notes = driver.surroundings.limit_ourselves(&limit)?;
        driver.header.warnings.extend(notes);
        Ok(driver)
    }

    /// Begins an experiment without starting its launcher. The machine is tuned first, so that the recorded facts
    /// describe the tuned machine, and settings for the commands' processes are known before the commands are resolved.
    fn surrounded(
        beginning: Beginning<'_>,
        make: impl FnOnce(&mut Definition, &Machine) -> Result<Vec<Command>, Failure>,
    ) -> Result<Self, Failure> {
        signal::stop_on_interrupt().map_err(Failure::machine)?;
        if beginning.machine.is_live() {
            places_of_workplaces().iter().for_each(|place| remove_forgotten(place));
        }
        let Beginning {
            kind,
            mut definition,
            mut machine,
            origin,
            store,
            invocation,
            programs,
            listeners,
            launch,
        } = beginning;
        let tuned = tuning::tune(&mut definition, invocation)?;
        if tuned.is_some() {
            machine = machine.reread();
        }
        relation::resolve(&mut definition.condition, &machine)?;
        loads::check(&definition.condition.load, &machine)?;
        let cleanup = around::set_up(&definition)?;
        let commands = make(&mut definition, &machine)?;
        tuning::leaves_clocks_alone(tuned.as_ref(), &commands)?;
        definition.seed.get_or_insert_with(clock::fresh_seed);
        let mut header = header::header(
            machine.facts().clone(),
            definition,
            fauxplat_model::Sources::default(),
            invocation,
        );
        header.origin = origin;
        header.warnings = hazards_of(machine.root(), &header.condition.cpu, &commands);
        header.warnings.extend(look_away(&commands));
        header.warnings.extend(unfilled(&commands));
        header.warnings.extend(left_out(&commands));
        header.warnings.extend(called_a_number(&commands));
        if let Some(tuned) = &tuned {
            header.condition.tuned.clone_from(&tuned.changes);
            header.warnings.extend(tuning::warnings(tuned));
        }
        Ok(Driver {
            header,
            commands,
            surroundings: Surroundings::new(tuned, cleanup, programs),
            listeners,
            launch,
            machine,
            kind,
            executor: None,
            recorder: Recorder::new(store),
            interrupted: false,
            cut_short: None,
            single_task: false,
            traced_ns: 0,
            duet: None,
            confirms: None,
            aside: None,
            floor_ns: None,
            part: None,
            started_ns: clock::monotonic_ns(),
            is_open: false,
        })
    }

    fn begin_loads(&mut self) -> Result<(), Failure> {
        self.surroundings.loads = loads::begin(&self.header.condition.load, &self.machine)?;
        Ok(())
    }

    /// Measures the wall time of the empty program, which also shows which kernel interfaces the spawner could open.
    fn measure_floor(&mut self) {
        // The wall time of an empty program says nothing about the counts of simulated runs.
        let is_timed = self.header.condition.simulate.is_none();
        let Some(executor) = self.executor.as_mut().filter(|_| is_timed) else { return };
        let setup = match &self.header.condition.cpu {
            Placement::OneOf(cpus) => Setup { cpus: Some(cpus.iter().take(1).collect()), ..Setup::default() },
            Placement::IdleOf(_) => Setup { idle: true, ..Setup::default() },
            _ => Setup::default(),
        };
        let floor = executor.floor(FLOOR_RUNS, &setup);
        self.floor_ns = median(floor.iter().filter_map(|run| run.get(Metric::WALL)));
        let counter_floors = counter_floors(executor.counters(), &floor);
        self.header.sources = Sources { counter_floors, ..executor.sources() };
        self.header.not_measured.extend(not_measured(&self.header.sources));
    }

    /// Resolves `auto` placement: single-threaded commands get one CPU per block.
    ///
    /// A single-threaded program loses nothing by staying on one CPU, and migrations between runs are the largest noise
    /// of short programs. The CPU is an idle one, since a competing process would add even more noise. A command of
    /// several threads or processes would be slowed down on one CPU, so it runs without a restriction.
    fn settle_placement(&mut self) {
        if self.header.condition.cpu != Placement::Auto {
            return;
        }
        let allowed = self.machine.allowed().clone();
        let are_threads_placed = self.header.condition.pin_threads.is_some();
        let begun_ns = clock::monotonic_ns();
        let alone = !are_threads_placed
            && self.different_programs().into_iter().all(|command| self.runs_alone(command));
        self.single_task = alone;
        self.traced_ns = if alone { clock::monotonic_ns() - begun_ns } else { 0 };
        let placement = match (alone && allowed.len() > 1, self.needs_one_cpu()) {
            (true, false) => Placement::IdleOf(allowed),
            // A load on the same CPU needs a CPU that is known in advance, and a CPU with a load is never idle.
            (true, true) => Placement::OneOf(allowed),
            (false, _) => Placement::Free,
        };
        self.header.condition.cpu = placement.clone();
        for command in &mut self.commands {
            if command.condition.cpu == Placement::Auto {
                command.condition.cpu = placement.clone();
            }
        }
    }

    /// The first command of each distinct program and argument vector: the levels of a sweep mostly run the same
    /// program.
    fn different_programs(&self) -> Vec<u16> {
        let mut seen = HashSet::new();
        let mut first = Vec::new();
        for (index, command) in self.commands.iter().enumerate() {
            if seen.insert((&command.program, command.argv.get(1..))) {
                first.push(index as u16);
            }
        }
        first
    }

    /// Whether some command has a background load, which may have to run on the command's CPU or off it.
    fn needs_one_cpu(&self) -> bool {
        self.commands.iter().any(|command| command.condition.background != Background::None)
    }

    /// Whether a command is one process of one thread, found by tracing it once. False if the command cannot be traced,
    /// or has control pipes, whose acknowledgements a traced run does not get.
    fn runs_alone(&mut self, command: u16) -> bool {
        if self.header.definition.control.is_some() {
            return false;
        }
        let tree = self.tree(command).ok().flatten().unwrap_or_default();
        if let Some(executor) = &mut self.executor {
            executor.begin_anew();
        }
        matches!(tree.as_slice(), [only] if only.threads == 1)
    }
}

/// Warnings about hazards of the machine (settings that may spoil a measurement) that are severe enough to be recorded
/// with every experiment; `doctor` reports all others.
fn hazards_of(root: &Path, shared: &Placement, commands: &[Command]) -> Vec<String> {
    let placement = commands.first().map_or(shared, |command| &command.condition.cpu);
    let cpus = match placement {
        Placement::Set(cpus) | Placement::OneOf(cpus) | Placement::IdleOf(cpus) => Some(cpus),
        _ => None,
    };
    fauxplat_hazards::warnings(root, cpus)
}

/// Opens the store at a path. The path `none` stands for no store, a URL for a shared store, and no path for the user's
/// own file.
///
/// # Errors
/// Returns the store's error if it cannot be opened.
pub fn open_store(path: Option<&PathBuf>) -> Result<Option<Store>, Failure> {
    stores_heed_signals();
    match shared(path)? {
        Some(url) => Ok(Some(Store::open_shared(&url, Patience::of_seconds(ANSWER_SECONDS))?)),
        None => open_file(path),
    }
}

/// Opens the store in which an experiment is recorded. If the path names a shared store, the experiment is recorded in
/// the user's own file, and shipped at the end. A server that refuses is reported before anything is measured; a server
/// that cannot be reached may be back at the end.
///
/// # Errors
/// Fails as [`open_store`] does, and if the server refuses.
pub fn open_record(path: Option<&PathBuf>) -> Result<Option<Store>, Failure> {
    stores_heed_signals();
    let Some(url) = shared(path)? else { return open_file(path) };
    let store = Store::open_spool(fauxplat_store::local_path(path.map(PathBuf::as_path))?, url)?;
    store.greet(Patience::of_seconds(GREETING_SECONDS))?;
    Ok(Some(store))
}

/// Lets a request to stop end a wait for a locked store, or a statement of a store that does not end.
fn stores_heed_signals() {
    fauxplat_store::heed(|| signal::stop_requested().then(clock::monotonic_ns));
}

/// Seconds to wait for each answer of the server, for verbs that only read the store.
const ANSWER_SECONDS: u64 = 30;
/// Seconds to wait for each answer of the server before an experiment begins.
const GREETING_SECONDS: u64 = 5;

/// Refuses names of a store that a shell or another tool interprets differently than fauxplat, and that would create a
/// file by mistake.
///
/// # Errors
/// Fails if the name is `-`, a capitalised `none`, or begins with `~`.
pub fn check_store_name(path: &Path) -> Result<(), Failure> {
    let name = path.to_string_lossy();
    let instead = match &*name {
        "-" => "a store is a file, and not standard output or input".to_owned(),
        none if none != "none" && none.eq_ignore_ascii_case("none") => {
            format!("`none`, in small letters, records nothing; for a file of that name say ./{none}")
        }
        home if home.starts_with('~') => format!(
            "the shell did not replace the `~` by a folder: write $HOME{}, or ./{home} for a file of that name",
            home.trim_start_matches('~')
        ),
        _ => return Ok(()),
    };
    Err(Failure::usage(format!("`{name}` is no store: {instead}")))
}

fn shared(path: Option<&PathBuf>) -> Result<Option<Url>, Failure> {
    path.map_or(Ok(()), |path| check_store_name(path))?;
    let text = path.and_then(|path| path.to_str()).filter(|text| Url::is_one(text));
    Ok(text.map(Url::parse).transpose()?)
}

fn open_file(path: Option<&PathBuf>) -> Result<Option<Store>, Failure> {
    match path {
        Some(path) if path.as_os_str() == "none" => Ok(None),
        Some(path) => Ok(Some(Store::open(path)?)),
        None => Ok(Some(Store::open(fauxplat_store::default_path()?)?)),
    }
}
