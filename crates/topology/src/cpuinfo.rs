//! The model of the CPU, which each architecture reports in a different way.

use std::path::Path;

use fauxplat_procfs::keyed;

use crate::read;

/// Keys of the lines with the model name: on x86 and LoongArch, MIPS, POWER, RISC-V.
const NAMES: [&str; 4] = ["model name", "cpu model", "cpu", "uarch"];

/// Arm's own cores by part number, from the `MIDR_EL1` section of each core's technical reference manual.
const ARM_PARTS: [(&str, &str); 25] = [
    ("0xd03", "Cortex-A53"),
    ("0xd05", "Cortex-A55"),
    ("0xd07", "Cortex-A57"),
    ("0xd08", "Cortex-A72"),
    ("0xd09", "Cortex-A73"),
    ("0xd0a", "Cortex-A75"),
    ("0xd0b", "Cortex-A76"),
    ("0xd0c", "Neoverse-N1"),
    ("0xd0d", "Cortex-A77"),
    ("0xd40", "Neoverse-V1"),
    ("0xd41", "Cortex-A78"),
    ("0xd44", "Cortex-X1"),
    ("0xd46", "Cortex-A510"),
    ("0xd47", "Cortex-A710"),
    ("0xd48", "Cortex-X2"),
    ("0xd49", "Neoverse-N2"),
    ("0xd4d", "Cortex-A715"),
    ("0xd4e", "Cortex-X3"),
    ("0xd4f", "Neoverse-V2"),
    ("0xd80", "Cortex-A520"),
    ("0xd81", "Cortex-A720"),
    ("0xd82", "Cortex-X4"),
    ("0xd84", "Neoverse-V3"),
    ("0xd85", "Cortex-X925"),
    ("0xd87", "Cortex-A725"),
];

/// The model as the kernel prints it; on arm64, where the kernel prints only numbers, the core's name, and the board
/// where known.
pub(crate) fn model(root: &Path, cpuinfo: &str) -> String {
    let named = NAMES.iter().find_map(|name| keyed::value(cpuinfo, name)).map(str::to_owned);
    let board = read::text(root, "proc/device-tree/model");
    match (named, arm_core(cpuinfo), board) {
        (Some(name), _, _) => name,
        (None, Some(core), Some(board)) => format!("{core} ({board})"),
        (None, core, board) => core.or(board).unwrap_or_default(),
    }
}

fn arm_core(cpuinfo: &str) -> Option<String> {
    Some(design(keyed::value(cpuinfo, "CPU implementer")?, keyed::value(cpuinfo, "CPU part")?))
}

/// The name of an Arm core with these numbers; for an unknown core, a text with the numbers.
pub(crate) fn design(implementer: &str, part: &str) -> String {
    let known = ARM_PARTS.iter().find(|(number, _)| implementer == "0x41" && *number == part);
    known.map_or(format!("arm implementer {implementer} part {part}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model_of(cpuinfo: &str) -> String {
        model(Path::new("/nonexistent"), cpuinfo)
    }

    #[test]
    fn each_architecture_names_its_cpu() {
        assert_eq!(model_of("processor : 0\nmodel name\t: A CPU @ 2.00GHz\n"), "A CPU @ 2.00GHz");
        assert_eq!(
            model_of("processor : 0\ncpu\t\t: POWER9, altivec supported\n"),
            "POWER9, altivec supported"
        );
        assert_eq!(model_of("CPU implementer\t: 0x41\nCPU part\t: 0xd49\n"), "Neoverse-N2");
        assert_eq!(
            model_of("CPU implementer\t: 0x61\nCPU part\t: 0x022\n"),
            "arm implementer 0x61 part 0x022"
        );
        assert_eq!(model_of("cpu cores : 2\ncpu MHz : 2000\n"), "");
    }
}
