//! Comparisons of several commands in common blocks, where one command slows down the run after it.

use fauxplat_analyze::{Decision, Judge};
use fauxplat_model::{EnvPad, Heap, Phase, Placement, Rule, Sample, Verdict};
use fauxplat_plan::{Layout, Plan};

use super::noise::{Machine, Noise, SILENT};

/// A kind of comparison of several commands. The first two are the same program; the last slows down the run after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) name: &'static str,
    pub(crate) commands: u16,
    /// Log ratio by which a run takes longer if it follows a run of the last command.
    pub(crate) left: f64,
    pub(crate) noise: Noise,
}

/// Cells with three and with four commands, whose last command slows down the next run by nothing, by 3 %, or by as
/// much as cold caches do.
pub(crate) fn cells() -> Vec<Cell> {
    let quiet = Noise { short_sd: 0.005, ..SILENT };
    let cell = |name, commands, left| Cell { name, commands, left, noise: quiet };
    vec![
        cell("3 commands, none slows the next run", 3, 0.0),
        cell("3 commands, the last slows the next run by 3 %", 3, 0.03),
        cell("3 commands, the last slows the next run by 20 %", 3, 0.2),
        cell("4 commands, the last slows the next run by 3 %", 4, 0.03),
        cell("4 commands, the last slows the next run by 20 %", 4, 0.2),
    ]
}

/// Number of comparisons, out of `comparisons`, that call the first two commands different, with the orders of runs
/// that `compare` draws.
pub(crate) fn false_verdicts(cell: &Cell, comparisons: u64) -> usize {
    (0..comparisons).filter(|&number| is_called_different(cell, number)).count()
}

fn is_called_different(cell: &Cell, number: u64) -> bool {
    let plan = Plan {
        commands: cell.commands,
        placement: Placement::Free,
        env_pad: EnvPad::None,
        heap: Heap::default(),
        layout: Layout::Twice(1),
        seed: number,
    };
    let rule = Rule { least_span_s: 0.0, ..Rule::default() };
    let mut machine = Machine::new(cell.noise, number.wrapping_mul(0x2545_f491_4f6c_dd1d) + 1);
    let mut judge = Judge::new(&rule, usize::from(cell.commands), number);
    let mut before = None;
    for block in 0.. {
        if judge.block(&visit(cell, &plan, block, &mut machine, &mut before)) == Decision::Stop {
            break;
        }
    }
    judge.stand(1).is_some_and(|stand| stand.verdict == Verdict::Different)
}

/// Simulates a block in which every run that follows a run of the last command is slower. `before` is the command that
/// ran last.
fn visit(
    cell: &Cell,
    plan: &Plan,
    block: u32,
    machine: &mut Machine,
    before: &mut Option<u16>,
) -> Vec<Sample> {
    let orders = plan.block(block, Phase::Measured).into_iter().map(|trial| trial.command);
    let slowed = orders.map(|command| {
        let is_slowed = before.replace(command) == Some(cell.commands - 1);
        (command, if is_slowed { cell.left } else { 0.0 })
    });
    machine.visit(slowed.collect::<Vec<_>>())
}
