//! Series, gates and pages from stores on the disk.

use std::fs;
use std::path::Path;

use fauxplat_history::analysis::{GateRule, gate};
use fauxplat_history::args::By;
use fauxplat_history::found::trends;
use fauxplat_history::pages::{Made, make};
use fauxplat_history::series::{Context, all, named, of, ordered};
use fauxplat_model::FailIf;
use fauxplat_model::document::Header;
use fauxplat_model::{Checkout, Command, GateState, Metric, Origin, Outcome, Phase, Readings, Sample};
use fauxplat_stats::draw::Draw;
use fauxplat_store::{State, Store};
use tempfile::TempDir;

/// A store in a temporary folder, with a random generator for readings.
struct Sessions {
    folder: TempDir,
    store: Store,
    draw: Draw,
}

impl Sessions {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("store.sqlite")).unwrap();
        Sessions { folder, store, draw: Draw::new(5, 0) }
    }

    /// Stores a session of a benchmark at a commit, whose readings scatter around `level_ms` milliseconds. Returns the
    /// number of the experiment.
    fn session(&mut self, name: &str, day: usize, (commit, machine): (usize, &str), level_ms: f64) -> i64 {
        let header = Header {
            started: format!("2026-{:02}-{:02}T10:00:00Z", 1 + day / 28, 1 + day % 28),
            origin: Origin {
                checkout: Some(Checkout {
                    commit: format!("{commit:040x}"),
                    branch: Some("main".into()),
                    dirty: Some(false),
                    committed_s: Some(1_700_000_000 + commit as i64),
                    ..Checkout::default()
                }),
                label: (day == 3).then(|| "third".to_owned()),
                host: Some(format!("host-{machine}")),
                user: Some("ada".into()),
                machine_id: Some(machine.to_owned()),
                folder: None,
            },
            ..Header::default()
        };
        let command = Command {
            name: name.into(),
            command: name.into(),
            program: "/bin/p".into(),
            ..Command::default()
        };
        self.runs(&header, command, level_ms)
    }

    /// Stores a session of a command whose readings scatter around `level_ms` milliseconds. Returns the number of the
    /// experiment.
    fn runs(&mut self, header: &Header, command: Command, level_ms: f64) -> i64 {
        let mut experiment = self.store.begin(header, "run", &[command]).unwrap();
        let level = level_ms * (0.01 * self.draw.normal()).exp();
        for _ in 0..10 {
            let mut sample = Sample {
                phase: Phase::Measured,
                outcome: Outcome::Exited(0),
                ..Sample::of(Readings::none())
            };
            let wall_ns = 1e6 * level * (0.005 * self.draw.normal()).exp();
            sample.readings.set(Metric::WALL, Some(wall_ns as u64));
            experiment.append(&sample).unwrap();
        }
        experiment.finish(header, None, State::Finished).unwrap()
    }

    /// Stores a session per day; from the day `from` on, readings are three times as large.
    fn with_change(&mut self, name: &str, days: usize, from: usize) {
        for day in 0..days {
            self.session(name, day, (day / 2, "m1"), if day < from { 10.0 } else { 30.0 });
        }
    }

    fn pages(&self) -> std::path::PathBuf {
        self.folder.path().join("pages")
    }

    fn make(&self) -> Made {
        make(&self.store, &self.pages(), "wall", None).unwrap()
    }
}

fn made(made: usize, left: usize, removed: usize) -> Made {
    Made { made, left, removed, is_anew: false }
}

/// Text of the page whose file name contains `part`.
fn page(folder: &Path, part: &str) -> String {
    let pages = fs::read_dir(folder.join("benchmarks")).unwrap().map(|entry| entry.unwrap().path());
    let found = pages.into_iter().find(|path| path.file_name().unwrap().to_str().unwrap().contains(part));
    fs::read_to_string(found.unwrap()).unwrap()
}

#[test]
fn a_change_is_found_with_its_commits_and_notes() {
    let mut sessions = Sessions::new();
    sessions.with_change("sort", 12, 9);
    sessions.with_change("other", 12, 12);
    let id = sessions.session("sort", 12, (6, "m1"), 30.0);
    sessions.store.add_note(id - 3, "2026-11-28T00:00:00Z", "unrelated").unwrap();
    sessions.store.add_note(10, "2026-11-28T00:00:00Z", "new compiler").unwrap();
    let context = Context::of(&sessions.store).unwrap();
    let series = all(&sessions.store, "wall", None).unwrap();
    assert_eq!(series.len(), 2);
    let found = trends(named(series, "sort", "wall").unwrap(), true, &context, (0.01, By::Time, "wall"));
    let [only] = found.series.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (only.session_count, only.sessions.len(), only.name.host.as_deref()),
        (13, 13, Some("host-m1"))
    );
    let [change] = only.changes.as_slice() else { panic!("{only:?}") };
    assert!(
        change.is_worse && change.at == 9 && change.low_ratio > 2.5 && change.high_ratio < 3.5,
        "{change:?}"
    );
    let commits = change.commits.as_ref().unwrap();
    assert_eq!(
        (&*commits.last_before, &*commits.first_after),
        (&*format!("{:040x}", 4), &*format!("{:040x}", 4))
    );
    assert_eq!(change.notes, ["new compiler"]);
    assert_eq!(only.sessions[3].label.as_deref(), Some("third"));
    // The list of all series has no sessions in its document, and the worst change first.
    let together =
        |by| trends(all(&sessions.store, "wall", None).unwrap(), false, &context, (0.01, by, "wall"));
    let by_commit = together(By::Commit);
    assert!(by_commit.series.iter().all(|series| series.sessions.is_empty()
        && series.session_count == 7 - usize::from(series.name.identity.benchmark == "other")));
    let together = together(By::Time);
    assert_eq!(together.series[0].name.identity.benchmark, "sort");
    assert!(together.series[1].changes.is_empty());
}

#[test]
fn newest_sessions_too_few_for_a_change_are_told() {
    let mut sessions = Sessions::new();
    sessions.with_change("sort", 10, 9);
    let context = Context::of(&sessions.store).unwrap();
    let series = all(&sessions.store, "wall", None).unwrap();
    let found = trends(series, true, &context, (0.01, By::Time, "wall"));
    let [only] = found.series.as_slice() else { panic!("{found:?}") };
    let apart = only.apart.as_ref().unwrap();
    assert_eq!((only.changes.len(), apart.sessions, apart.before), (0, 1, 9));
    let told = found.summary.replace('\u{a0}', " ");
    assert!(told.starts_with("no change shown yet in 10 sessions, but the newest session lies"), "{told}");
}

#[test]
fn the_points_of_a_store_are_kept_and_go_with_their_experiments() {
    let mut sessions = Sessions::new();
    sessions.with_change("sort", 3, 3);
    assert_eq!(sessions.store.without_points().unwrap().len(), 3);
    let before = all(&sessions.store, "wall", None).unwrap();
    assert_eq!(sessions.store.without_points().unwrap(), [] as [i64; 0]);
    assert_eq!(all(&sessions.store, "wall", None).unwrap()[0].points, before[0].points);
    assert_eq!(all(&sessions.store, "wall", Some("host-m1")).unwrap().len(), 1);
    assert_eq!(all(&sessions.store, "wall", Some("elsewhere")).unwrap().len(), 0);
    sessions.store.remove(2).unwrap();
    assert_eq!(all(&sessions.store, "wall", None).unwrap()[0].points.len(), 2);
    // A store into which experiments are copied computes the same points.
    let copy = Store::open(sessions.folder.path().join("copy.sqlite")).unwrap();
    sessions.store.carry_to(&copy, &[1, 3]).unwrap();
    let carried = all(&copy, "wall", None).unwrap();
    let lns = |series: &[fauxplat_history::series::Series]| -> Vec<f64> {
        series[0].points.iter().map(|it| it.ln).collect()
    };
    assert_eq!(lns(&carried), lns(&all(&sessions.store, "wall", None).unwrap()));
}

/// Sessions of `./bench` in two repositories, then a session of an earlier version, which records no repository but whose
/// program lies in a folder of one of them.
#[test]
fn equal_commands_of_two_repositories_are_two_series() {
    let mut sessions = Sessions::new();
    let command = |folder: &str| Command {
        name: "./bench".into(),
        command: "./bench".into(),
        program: format!("{folder}/bench").into(),
        argv: vec!["./bench".into()],
        ..Command::default()
    };
    let header = |day: usize, folder: Option<(&str, &str)>| {
        let checkout = folder.map(|(folder, repository)| Checkout {
            commit: "c".repeat(40),
            repository: Some(repository.into()),
            top: Some(folder.into()),
            ..Checkout::default()
        });
        let origin = Origin {
            checkout,
            folder: folder.map(|(folder, _)| folder.to_owned()),
            machine_id: Some("m1".into()),
            ..Origin::default()
        };
        Header { started: format!("2026-01-{day:02}T10:00:00Z"), origin, ..Header::default() }
    };
    for day in 1..4 {
        sessions.runs(&header(day, Some(("/home/ada/a", "example.org/a"))), command("/home/ada/a"), 1.0);
        sessions.runs(&header(day, Some(("/home/ada/b", "example.org/b"))), command("/home/ada/b"), 50.0);
    }
    sessions.runs(&header(4, None), command("/home/ada/b"), 50.0);
    let found = all(&sessions.store, "wall", None).unwrap();
    let told: Vec<(Option<&str>, usize)> =
        found.iter().map(|it| (it.key.identity.place.as_deref(), it.points.len())).collect();
    assert_eq!(told, [(Some("example.org/a"), 3), (Some("example.org/b"), 4)]);
    let chosen = of(found, &["example.org/b".to_owned()]).unwrap();
    assert_eq!((chosen.len(), chosen[0].points.len()), (1, 4));
    assert_eq!(sessions.make(), made(1, 0, 0));
    let page = page(&sessions.pages(), "bench");
    assert!(page.contains("in example.org/a") && page.contains("in example.org/b"), "{page}");
    let index = fs::read_to_string(sessions.pages().join("index.html")).unwrap();
    assert!(index.contains("./bench (in example.org/a)"), "{index}");
}

#[test]
fn a_gate_knows_slower_faster_alike_and_too_little() {
    let state = |levels: &[f64], fail_if: &[FailIf]| {
        let mut sessions = Sessions::new();
        for (day, level) in levels.iter().enumerate() {
            sessions.session("sort", day, (day, "m1"), *level);
        }
        let context = Context::of(&sessions.store).unwrap();
        let series = all(&sessions.store, "wall", None).unwrap().remove(0);
        let rule = GateRule { fail_if: fail_if.to_vec(), margin: 0.1, level: 0.01 };
        let found = gate(&ordered(series, By::Time), &context, &rule).unwrap();
        (found.gate.state, found.fails)
    };
    let past = [10.0; 12];
    let and = |last: f64| [&past[..], &[last]].concat();
    assert_eq!(state(&and(15.0), &[FailIf::Slower]), (GateState::Beyond, true));
    assert_eq!(state(&and(15.0), &[FailIf::Faster]), (GateState::Within, false));
    assert_eq!(state(&and(6.0), &[FailIf::Different]), (GateState::Beyond, true));
    assert_eq!(state(&and(6.0), &[FailIf::Slower]), (GateState::Within, false));
    assert_eq!(state(&and(10.0), &[FailIf::Different]), (GateState::Within, false));
    assert_eq!(state(&and(11.0), &[FailIf::Slower]), (GateState::Undecided, false));
    assert_eq!(state(&and(11.0), &[FailIf::Slower, FailIf::Undecided]), (GateState::Undecided, true));
    assert_eq!(state(&[10.0, 30.0], &[FailIf::Slower]), (GateState::Undecided, false));
}

#[test]
fn pages_are_made_once_and_again_where_something_changed() {
    let mut sessions = Sessions::new();
    sessions.with_change("sort", 12, 9);
    sessions.with_change("other", 8, 8);
    assert_eq!(sessions.make(), made(2, 0, 0));
    assert_eq!(sessions.make(), made(0, 2, 0));
    let id = sessions.session("other", 9, (9, "m2"), 10.0);
    assert_eq!(sessions.make(), made(1, 1, 0));
    assert!(page(&sessions.pages(), "other").contains("On host-m2"));
    sessions.store.add_note(id, "2026-11-28T00:00:00Z", "a note").unwrap();
    assert_eq!(sessions.make(), made(1, 1, 0));
    for experiment in 1..=12 {
        sessions.store.remove(experiment).unwrap();
    }
    assert_eq!(sessions.make(), made(0, 1, 1));
    let index = fs::read_to_string(sessions.pages().join("index.html")).unwrap();
    assert!(index.contains(">other</a>") && !index.contains(">sort</a>"), "{index}");
    // A page whose file is damaged is written again.
    let damaged = fs::read_dir(sessions.pages().join("benchmarks")).unwrap().next().unwrap().unwrap().path();
    fs::write(damaged, "half").unwrap();
    assert_eq!(sessions.make(), made(1, 0, 0));
}

#[test]
fn hostile_names_stay_texts() {
    let mut sessions = Sessions::new();
    let names = [
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "../../up",
        "\u{202e}bidi",
        "a'b`c\\",
    ];
    for name in names {
        sessions.with_change(name, 2, 2);
    }
    assert_eq!(sessions.make().made, names.len());
    let mut texts = vec![fs::read_to_string(sessions.pages().join("index.html")).unwrap()];
    for entry in fs::read_dir(sessions.pages().join("benchmarks")).unwrap() {
        texts.push(fs::read_to_string(entry.unwrap().path()).unwrap());
    }
    assert_eq!(texts.len(), names.len() + 1, "every page lies in its folder");
    for text in texts {
        assert!(
            !text.contains("<script>alert") && !text.contains("<img") && !text.contains('\u{202e}'),
            "{text}"
        );
        // A page has at most one script of data and the constant script.
        assert!(text.matches("</script>").count() <= 2, "{text}");
        // No page loads another file, and links lead only to other pages.
        let is_local = |link: &str| {
            link.starts_with("benchmarks/") || link.starts_with("../index.html") || link.starts_with('#')
        };
        assert!(text.split("href=\"").skip(1).all(is_local) && !text.contains("src=\""), "{text}");
    }
}

#[test]
fn a_folder_of_something_else_is_left_as_it_is() {
    let mut sessions = Sessions::new();
    sessions.with_change("sort", 2, 2);
    for name in ["index.html", "thesis.tex"] {
        let folder = sessions.folder.path().join(name.replace('.', "-"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(name), "precious").unwrap();
        let error = make(&sessions.store, &folder, "wall", None).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("left as it is"), "{error}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}

/// Links, forged lists and left-over files in a folder of pages, as a cloned repository or another user may put there.
mod planted {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    /// A store with one benchmark, its pages, and a folder beside them with a precious file in it.
    fn site() -> (Sessions, PathBuf) {
        let mut sessions = Sessions::new();
        sessions.with_change("sort", 2, 2);
        sessions.make();
        let victim = sessions.folder.path().join("victim");
        fs::create_dir(&victim).unwrap();
        fs::write(victim.join("keep.html"), "precious").unwrap();
        (sessions, victim)
    }

    /// Path of the only page of a benchmark.
    fn only_page(sessions: &Sessions) -> PathBuf {
        let pages: Vec<_> = fs::read_dir(sessions.pages().join("benchmarks")).unwrap().flatten().collect();
        let [page] = pages.as_slice() else { panic!("{pages:?}") };
        page.path()
    }

    fn refusal(sessions: &Sessions) -> String {
        make(&sessions.store, &sessions.pages(), "wall", None).unwrap_err().to_string()
    }

    #[test]
    fn a_link_to_a_file_is_never_written_through() {
        let (mut sessions, victim) = site();
        let (pages, page) = (sessions.pages(), only_page(&sessions));
        let file = victim.join("keep.html");
        for name in ["index.part", "pages.part"] {
            symlink(&file, pages.join(name)).unwrap();
        }
        symlink(&file, page.with_extension("part")).unwrap();
        for path in [pages.join("index.html"), page.clone()] {
            fs::remove_file(&path).unwrap();
            symlink(&file, path).unwrap();
        }
        sessions.session("sort", 3, (3, "m1"), 10.0);
        assert_eq!(sessions.make(), made(1, 0, 0));
        assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
        for path in [pages.join("index.html"), page] {
            assert!(fs::symlink_metadata(&path).unwrap().is_file(), "{}", path.display());
        }
        let names = fs::read_dir(&pages).unwrap().flatten().map(|entry| entry.file_name());
        let left = names.filter(|name| name.to_string_lossy().ends_with(".tmp")).count();
        assert_eq!(left, 0, "nothing is left of the folder in which files are written");
    }

    #[test]
    fn a_subfolder_that_is_a_link_is_refused() {
        let (sessions, victim) = site();
        let benchmarks = sessions.pages().join("benchmarks");
        fs::rename(&benchmarks, sessions.folder.path().join("away")).unwrap();
        symlink(&victim, &benchmarks).unwrap();
        let said = refusal(&sessions);
        assert!(said.contains("benchmarks: it is a symbolic link") && said.contains("remove it"), "{said}");
        fs::remove_file(&benchmarks).unwrap();
        fs::write(&benchmarks, "").unwrap();
        let said = refusal(&sessions);
        assert!(said.contains("benchmarks: it is a regular file"), "{said}");
        assert_eq!(fs::read_dir(&victim).unwrap().count(), 1);
    }

    /// A list that names files which are no pages: these stay, and so does a link under the name of a page.
    #[test]
    fn a_forged_list_removes_nothing_but_pages() {
        let (sessions, victim) = site();
        let (pages, page) = (sessions.pages(), only_page(&sessions));
        let benchmarks = pages.join("benchmarks");
        fs::write(benchmarks.join("keep.html"), "precious").unwrap();
        fs::write(benchmarks.join("gone-0123456789ab.html"), "a page").unwrap();
        symlink(victim.join("keep.html"), benchmarks.join("link-0123456789ab.html")).unwrap();
        let names = [
            "keep.html",
            "../../victim/keep.html",
            "gone-0123456789ab.html",
            "link-0123456789ab.html",
            "none-0123456789ab.html",
        ];
        let entries: Vec<String> =
            names.iter().map(|name| format!(r#""{name}":{{"hash":"x","bytes":1,"series":[]}}"#)).collect();
        let entries = entries.join(",");
        let schema = "fauxplat.history-pages/1";
        fs::write(
            pages.join("pages.json"),
            format!(r#"{{"schema":"{schema}","metric":"wall","pages":{{{entries}}}}}"#),
        )
        .unwrap();
        assert_eq!(sessions.make(), made(1, 0, 1));
        assert!(benchmarks.join("keep.html").is_file() && victim.join("keep.html").is_file());
        assert!(benchmarks.join("link-0123456789ab.html").is_symlink() && page.is_file());
        assert!(!benchmarks.join("gone-0123456789ab.html").exists());
    }

    #[test]
    fn a_list_that_is_not_ours_is_refused_and_a_damaged_one_made_anew() {
        let (sessions, victim) = site();
        let list = sessions.pages().join("pages.json");
        fs::remove_file(&list).unwrap();
        assert!(fauxplat_sys::pipes::make_pipe(&list).unwrap());
        let said = refusal(&sessions);
        assert!(said.contains("pages.json: it is a named pipe where pages need a regular file"), "{said}");
        fs::remove_file(&list).unwrap();
        let keep = victim.join("keep.html");
        for target in [keep.as_path(), Path::new("/dev/zero")] {
            symlink(target, &list).unwrap();
            let said = refusal(&sessions);
            assert!(said.contains("pages.json: it is a symbolic link"), "{said}");
            fs::remove_file(&list).unwrap();
        }
        for text in ["{}", "", "precious"] {
            fs::write(&list, text).unwrap();
            let said = refusal(&sessions);
            assert!(said.contains("no list of pages") && said.contains("remove that file"), "{said}");
            assert_eq!(fs::read_to_string(&list).unwrap(), text);
        }
        // Longer than the bound, a file of zeros is not read to its end.
        fs::File::create(&list).unwrap().set_len(3 << 30).unwrap();
        assert!(refusal(&sessions).contains("no list of pages"));
        for text in
            [r#"{"schema":"fauxplat.history-pages/1","pa"#, r#"{"schema":"fauxplat.history-pages/9"}"#]
        {
            fs::write(&list, text).unwrap();
            assert_eq!(sessions.make(), Made { is_anew: true, ..made(1, 0, 0) });
            assert_eq!(sessions.make(), made(0, 1, 0));
        }
    }

    #[test]
    fn what_killed_calls_left_goes_and_other_files_stay() {
        let (sessions, _) = site();
        let (pages, page) = (sessions.pages(), only_page(&sessions));
        let left = [pages.join("index.part"), pages.join("pages.part"), page.with_extension("part")];
        let gone = pages.join("benchmarks/gone-0123456789ab.part");
        let others = [pages.join("thesis.part"), pages.join("benchmarks/thesis.part")];
        for path in left.iter().chain([&gone]).chain(&others) {
            fs::write(path, "half").unwrap();
        }
        assert_eq!(sessions.make(), made(0, 1, 0));
        assert!(left.iter().chain([&gone]).all(|path| !path.exists()));
        assert!(others.iter().all(|path| path.exists()));
        // The first call was killed before it wrote its list.
        fs::remove_file(pages.join("pages.json")).unwrap();
        let said = refusal(&sessions);
        assert!(said.contains("thesis.part"), "{said}");
        others.iter().for_each(|path| fs::remove_file(path).unwrap());
        fs::write(pages.join("index.part"), "half").unwrap();
        assert_eq!(sessions.make(), made(1, 0, 0));
    }
}
