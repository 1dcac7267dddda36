//! Lines that make an existing scheduler repeat a run, for the user to enter; fauxplat does not install them.

use fauxplat_model::Every;

/// Returns the five time fields of a line of `crontab(5)`. The minute is not 0, since many other jobs begin at the full
/// hour.
fn fields(every: Every) -> &'static str {
    match every {
        Every::Hour => "17 * * * *",
        Every::Day => "17 3 * * *",
        Every::Week => "17 3 * * 0",
        Every::Month => "17 3 1 * *",
    }
}

/// Returns a calendar expression of `systemd.timer(5)`.
fn calendar(every: Every) -> &'static str {
    match every {
        Every::Hour => "*-*-* *:17:00",
        Every::Day => "*-*-* 03:17:00",
        Every::Week => "Sun *-*-* 03:17:00",
        Every::Month => "*-*-01 03:17:00",
    }
}

/// Escapes `%`, which otherwise ends the command in a line of `crontab(5)`.
fn in_crontab(line: &str) -> String {
    line.replace('%', "\\%")
}

/// Returns lines for cron and, as an alternative, for systemd, that repeat the shell line `line`.
pub(crate) fn cron(line: &str, every: Every) -> Vec<String> {
    // In a transient unit, systemd expands `$` as described in `systemd.service(5)`, but not `%`.
    let of_systemd = shell_words::quote(line).replace('$', "$$");
    vec![
        "# crontab -e".to_owned(),
        format!("{} {}", fields(every), in_crontab(line)),
        "# or: systemd-run, which makes a timer".to_owned(),
        format!("systemd-run --user --on-calendar='{}' /bin/sh -c {of_systemd}", calendar(every)),
    ]
}

/// Returns lines for Slurm's `scrontab(1)` that repeat the shell line `line`. That job only submits other jobs and
/// waits for them.
pub(crate) fn scrontab(line: &str, every: Every, partition: Option<&str>) -> Vec<String> {
    let mut lines = vec![
        "# scrontab -e".to_owned(),
        "#SCRON --job-name=fauxplat-fleet --ntasks=1 --oversubscribe".to_owned(),
    ];
    lines.extend(partition.map(|partition| format!("#SCRON --partition={partition}")));
    lines.push(format!("{} {}", fields(every), in_crontab(line)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_when_and_what() {
        let line = "cd '/a b' && fauxplat fleet run 'date +%s $x' --on local:2";
        let lines = cron(line, Every::Week);
        assert_eq!(lines[1], "17 3 * * 0 cd '/a b' && fauxplat fleet run 'date +\\%s $x' --on local:2");
        let words = shell_words::split(&lines[3]).unwrap();
        assert_eq!(words[..3], ["systemd-run", "--user", "--on-calendar=Sun *-*-* 03:17:00"]);
        assert_eq!(words[3..], ["/bin/sh", "-c", &line.replace('$', "$$")]);
        let lines = scrontab("fauxplat fleet run x --on slurm:all", Every::Day, Some("all"));
        assert!(lines.contains(&"#SCRON --partition=all".to_owned()), "{lines:?}");
        assert!(lines.last().unwrap().starts_with("17 3 * * * fauxplat"));
        for every in [Every::Hour, Every::Day, Every::Week, Every::Month] {
            assert_eq!(every.to_string().parse(), Ok(every));
        }
        assert!("minute".parse::<Every>().is_err());
    }
}
