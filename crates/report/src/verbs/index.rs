//! The report of `index`: the power of each CPU, and conditions that were not controlled.

use fauxplat_model::document::Header;
use fauxplat_model::{CpuIndex, IndexFindings, Policy};

use super::worker_counts;
use crate::parts::spans::emphasis;
use crate::parts::{Grid, Piece, Tone};
use crate::words::{counted, percent};

pub(crate) fn parts(header: &Header, found: &IndexFindings) -> Vec<Piece> {
    let mut parts = vec![Piece::answer(Tone::Title, answer(found)), Piece::table(table(found))];
    parts.extend(worker_counts::pieces(&found.counts));
    parts.push(Piece::plain(meaning(found)).in_full());
    parts.extend(uncontrolled(header, found).map(|text| Piece::said(Tone::Doubt, text)));
    parts
}

fn answer(found: &IndexFindings) -> String {
    let Some(fastest) = found.cpus.iter().max_by(|a, b| a.fauxplat_per_s.total_cmp(&b.fauxplat_per_s)) else {
        return "Nothing was measured.".to_owned();
    };
    let way = if found.together { "all at once" } else { "one after the other" };
    match found.cpus.as_slice() {
        [only] => format!(
            "CPU {}: {} FauxPlat/s ({} … {})",
            only.cpu,
            whole(only.fauxplat_per_s),
            whole(only.low),
            whole(only.high)
        ),
        all => {
            let slowest = all.iter().map(|one| one.fauxplat_per_s).fold(f64::INFINITY, f64::min);
            let spread = fastest.fauxplat_per_s / slowest - 1.0;
            format!(
                "{} CPUs, {way}: up to {} FauxPlat/s, the best is {} above the worst",
                all.len(),
                whole(fastest.fauxplat_per_s),
                percent(spread)
            )
        }
    }
}

fn whole(value: f64) -> String {
    format!("{value:.1}")
}

fn table(found: &IndexFindings) -> Grid {
    let header = ["CPU", "FauxPlat/s", "95 % interval", "typical", "by wall time", "waited", "steal", "laps"];
    let mut grid = Grid::new(&header, &[7, 3, 4]);
    for one in &found.cpus {
        grid.push(Tone::Plain, row(one));
    }
    grid
}

fn row(one: &CpuIndex) -> Vec<String> {
    let share = |share: Option<f64>| share.map_or_else(|| "?".to_owned(), |share| percent(share.max(0.0)));
    vec![
        one.cpu.to_string(),
        whole(one.fauxplat_per_s),
        format!("{} … {}", whole(one.low), whole(one.high)),
        whole(one.typical_per_s),
        whole(one.wall_per_s),
        share(one.run_delay_share),
        share(one.rest_share),
        one.laps.to_string(),
    ]
}

fn meaning(found: &IndexFindings) -> String {
    let kernel = match found.instructions_per_iteration {
        Some(count) => format!(
            "A FauxPlat is 100,000 iterations of {} of fixed assembly; it compares with other CPUs of this architecture.",
            counted(count as usize, "instruction", "instructions")
        ),
        None => {
            "There is no fixed assembly for this architecture: the numbers compare with no others.".to_owned()
        }
    };
    let laps = match found.together {
        true => "The index is that of the typical lap while all CPUs work".to_owned(),
        false => format!(
            "The index is that of undisturbed laps, {} that of the median lap: the difference is lost to others on the \
             same core",
            emphasis("typical")
        ),
    };
    format!(
        "{kernel} {laps}. A repetition falls into the interval; index and interval contain neither waiting nor steal."
    )
}

fn uncontrolled(header: &Header, found: &IndexFindings) -> Option<String> {
    let mut chance = Vec::new();
    if found.policy == Policy::Other {
        chance.push("priority (not at SCHED_FIFO)".to_owned());
    }
    match (&header.machine.cpu.governor, &header.machine.hypervisor) {
        (Some(governor), _) if governor == "performance" => {}
        (Some(governor), _) => chance.push(format!("frequency (governor {governor})")),
        (None, Some(hypervisor)) => {
            chance.push(format!("frequency and hyper-threads of the host ({hypervisor})"))
        }
        (None, None) => chance.push("frequency (no cpufreq)".to_owned()),
    }
    (!chance.is_empty()).then(|| format!("Not controlled: {}.", chance.join("; ")))
}
