//! A simulated machine that measures commits, with the plan and the judge of real comparisons.

use fauxplat_analyze::{Decision, Judge};
use fauxplat_commits::findings::{Commit, Compared};
use fauxplat_commits::hunt::{Attempt, Hunt, Hunted, Laboratory, Test};
use fauxplat_commits::state::Known;
use fauxplat_experiment::Failure;
use fauxplat_model::{EnvPad, Heap, Metric, Phase, Placement, Rule, Sample, StoppedBy};
use fauxplat_plan::{Layout, Plan};
use fauxplat_stats::draw::Draw;

/// Number of commits in a history, without the good end.
pub(crate) const COMMITS: usize = 200;
/// Wall time of a run without noise, in nanoseconds.
const BASE_NS: f64 = 5e6;

/// Parts of the noise; standard deviations are those of the logarithm of the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    /// Standard deviation between runs of the same build.
    pub(crate) sd: f64,
    /// Share by which a second program slows runs down while it is active.
    pub(crate) burner: f64,
    /// Share of runs that are much longer.
    pub(crate) spike_share: f64,
    /// Standard deviation between builds; all runs of a build share the same deviation.
    pub(crate) build_sd: f64,
}

impl Noise {
    pub(crate) const NONE: Noise = Noise { sd: 0.0, burner: 0.0, spike_share: 0.0, build_sd: 0.0 };
    /// Noise of a second program that shares the CPU from time to time.
    pub(crate) const BURNER: Noise = Noise { sd: 0.03, burner: 0.3, spike_share: 0.02, build_sd: 0.0 };
}

/// A history of commits of which one makes a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct History {
    pub(crate) truth: usize,
    /// Time after the change divided by the time before it.
    pub(crate) change: f64,
    pub(crate) noise: Noise,
}

/// Searches a history; returns the result and the number of runs. `limits` are the error level and the time of a step
/// in seconds.
pub(crate) fn searched(history: &History, seed: u64, (level, limit_s): (f64, f64)) -> (Hunted, usize) {
    let mut machine = Simulated::new(*history, seed);
    let hunted = hunt(level, limit_s).search(Known::default(), &mut machine, &mut |_| Ok(()));
    (hunted.expect("a simulated machine does not fail"), machine.runs)
}

pub(crate) fn hunt(level: f64, limit_s: f64) -> Hunt {
    let commit = |number: usize| Commit { hash: number.to_string(), name: format!("commit {number}") };
    let parents = (0..=COMMITS).map(|number| number.checked_sub(1).into_iter().collect()).collect();
    let commits = (0..=COMMITS).map(commit).collect();
    Hunt { commits, parents, level, margin: 0.01, limit_s, total_s: None }
}

pub(crate) struct Simulated {
    history: History,
    draw: Draw,
    seed: u64,
    is_burning: bool,
    now_ns: f64,
    pub(crate) compared: usize,
    pub(crate) runs: usize,
    /// Whether the commit with this number fails to build.
    pub(crate) broken: fn(usize) -> bool,
}

impl Simulated {
    pub(crate) fn new(history: History, seed: u64) -> Self {
        let draw = Draw::new(seed, 0x6269_7365);
        let (is_burning, now_ns) = (false, 0.0);
        Simulated { history, draw, seed, is_burning, now_ns, compared: 0, runs: 0, broken: |_| false }
    }

    fn wall_ns(&mut self, commit: usize) -> f64 {
        let noise = self.history.noise;
        let build = noise.build_sd * Draw::new(self.seed, 1_000 + commit as u64).normal();
        let change = if commit >= self.history.truth { self.history.change.ln() } else { 0.0 };
        self.is_burning ^= self.draw.uniform() < 0.05;
        let burner = if self.is_burning { noise.burner } else { 0.0 };
        let spike =
            if self.draw.uniform() < noise.spike_share { -0.3 * self.draw.uniform().ln() } else { 0.0 };
        BASE_NS * (build + change + burner + spike + noise.sd * self.draw.normal()).exp()
    }

    fn block(&mut self, plan: &Plan, number: u32, commits: &[usize]) -> Vec<Sample> {
        let trials = plan.block(number, Phase::Measured);
        let run = |trial: fauxplat_model::Trial| {
            let wall_ns = self.wall_ns(commits[usize::from(trial.command)]);
            let started_ns = self.now_ns as u64;
            self.now_ns += wall_ns + 1e6;
            self.runs += 1;
            Sample {
                trial: self.runs as u32,
                block: number,
                command: trial.command,
                position: trial.position,
                started_ns,
                ..Sample::of([(Metric::WALL, wall_ns as u64)].into())
            }
        };
        trials.into_iter().map(run).collect()
    }
}

impl Laboratory for Simulated {
    fn compare(&mut self, commits: &[usize], test: Test) -> Result<Attempt, Failure> {
        if let Some(broken) = commits.iter().find(|&&commit| (self.broken)(commit)) {
            return Ok(Attempt::Failed(format!("commit {broken} does not build")));
        }
        self.compared += 1;
        let seed = self.seed.wrapping_mul(1_000) + self.compared as u64;
        let (rule, count) = (test.rule(&Rule::default()), commits.len() as u16);
        let plan = Plan {
            commands: count,
            placement: Placement::Free,
            env_pad: EnvPad::default(),
            heap: Heap::default(),
            layout: Layout::Twice(1),
            seed,
        };
        let mut judge = Judge::new(&rule, commits.len(), seed);
        let block_s = 2.0 * f64::from(count) * (BASE_NS + 1e6) / 1e9;
        judge.horizon((1.25 * test.limit_s / block_s) as u32);
        let (begun_ns, mut samples, mut next_look) = (self.now_ns, Vec::new(), 0);
        for number in 0.. {
            let block = self.block(&plan, number, commits);
            judge.block(&block);
            samples.extend(block);
            let is_late = self.now_ns - begun_ns > 1e9 * test.limit_s;
            if judge.progress().pairs_next_look != next_look {
                next_look = judge.progress().pairs_next_look;
                if (test.until.0)(&judge) {
                    break;
                }
            }
            if is_late || judge.decision() == Decision::Stop {
                break;
            }
        }
        let names: Vec<String> = commits.iter().map(ToString::to_string).collect();
        let mut found = judge.findings(&samples, &names, StoppedBy::Verdict).findings;
        found.elapsed_s = (self.now_ns - begun_ns) / 1e9;
        Ok(Attempt::Measured(Compared::with_first(&found, commits.len() - 1)))
    }

    fn tell(&mut self, _: &str) {}
}
