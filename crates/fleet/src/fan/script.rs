//! The script that runs one order on many hosts: it copies the program, runs it, and removes all files afterwards.
//!
//! On a host, the program is in a folder of its own below `/tmp`, which other users can write to as well. The folder's
//! name is drawn at random for each script, and nothing is copied to a host or run there unless the folder was created
//! by the same user: a user who reads the name in a process list cannot misuse it on another host.

use super::call::{Call, line};
use super::tool::Tool;

/// Line printed by a host that has created the folder.
const MADE: &str = "fauxplat-made";

/// A build of the program that is copied to the hosts.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Architecture, as printed by `uname -m`.
    pub(super) arch: String,
    pub(super) path: String,
    /// Size in bytes, by which a host checks that the copy is complete.
    pub(super) bytes: u64,
}

/// Origin of the program that hosts run: copied there, or already installed at a path.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    Shipped(Vec<Program>),
    There(String),
}

/// An order for many hosts, with all that the script needs to carry it out.
#[derive(Debug)]
pub(super) struct Carried<'a> {
    pub(super) tool: Tool,
    pub(super) to: Call<'a>,
    /// Names of the hosts, joined by commas.
    pub(super) hosts: String,
    /// Random part of the folder's name on the hosts, which cannot be predicted.
    pub(super) secret: String,
    /// Word in the arguments of the program's process, which the arguments of no other process contain.
    pub(super) token: &'a str,
    pub(super) origin: Origin,
    /// Arguments with which the program runs.
    pub(super) words: Vec<String>,
}

impl Carried<'_> {
    /// Returns the script. However the script ends, it then ends the processes on the hosts and removes their folders,
    /// but only after all hosts are done, since two hosts may share a file system.
    pub(super) fn text(&self) -> String {
        let (tool, to) = (self.tool, &self.to);
        let [clean, make, run] = [
            tool.clean(to, &self.cleaned()),
            tool.clean(to, &self.made()),
            tool.run(to, &format!("{} {}", self.checked(), self.begun())),
        ]
        .map(|words| line(&words));
        let copies: String = self.copies().iter().map(|copy| format!("{copy}\n")).collect();
        format!(
            r#"all={all}
end() {{
    trap '' TERM INT HUP
    hosts=$all
    {clean} > /dev/null 2>&1
}}
trap end EXIT
trap 'exit 143' TERM INT HUP
hosts=$all
hosts=$({make} | sed -n {filter} | paste -s -d , -)
[ -n "$hosts" ] || exit 1
{copies}{run}
"#,
            all = shell_words::quote(&self.hosts),
            filter = filter(),
        )
    }

    fn copies(&self) -> Vec<String> {
        let Origin::Shipped(programs) = &self.origin else { return Vec::new() };
        let copy = |program: &Program| {
            let there = format!("{}/{}", self.folder(), program.arch);
            line(&self.tool.copy(&self.to, &program.path, &there))
        };
        programs.iter().map(copy).collect()
    }

    fn folder(&self) -> String {
        format!("/tmp/fauxplat-{}", self.secret)
    }

    /// Returns the shell line by which a host creates the folder of the program. If two hosts share a file system, the
    /// second one finds and accepts the folder of the first.
    fn made(&self) -> String {
        format!(
            "d={}; m=$(mkdir -m 700 \"$d\" 2>&1); if {IS_OURS}; then echo {MADE}; else echo \"$m\" >&2; exit 92; fi",
            self.folder()
        )
    }

    /// Returns the shell line by which a host checks the copy of the program; an incomplete copy is refused.
    fn checked(&self) -> String {
        let folder = self.folder();
        let ours =
            format!("d={folder}; {IS_OURS} || {{ echo the folder of the program is gone >&2; exit 92; }};");
        match &self.origin {
            Origin::There(path) => format!("{ours} p={};", shell_words::quote(path)),
            Origin::Shipped(programs) => {
                let size = |program: &Program| format!("{}) n={};; ", program.arch, program.bytes);
                let sizes: String = programs.iter().map(size).collect();
                format!(
                    "{ours} a=$(uname -m); p=\"$d/$a\"; \
                     [ -f \"$p\" ] || {{ echo no program was shipped for \"$a\" >&2; exit 91; }}; \
                     case $a in {sizes}*) n=0;; esac; \
                     [ $(wc -c < \"$p\") -eq $n ] || {{ echo only a part of the program was shipped >&2; exit 91; }}; \
                     chmod 700 \"$p\" || exit 91;"
                )
            }
        }
    }

    /// Returns the shell line by which a host runs the program. The process id is stored in a file, so that the process
    /// can be ended later: without a terminal, it gets no signal when its caller ends.
    fn begun(&self) -> String {
        let words = shell_words::join(&self.words);
        format!("exec sh -c 'true > \"$0/pid-$(uname -n)-$$\"; exec \"$@\"' \"$d\" \"$p\" {words}")
    }

    /// Returns the shell line by which a host ends a program that is still running, and removes the folder. The process
    /// is ended only if its arguments contain the token, since another process may have the same id by then.
    fn cleaned(&self) -> String {
        format!(
            "d={}; {IS_OURS} || exit 0; for f in \"$d/pid-$(uname -n)\"-*; do i=${{f##*-}}; \
             [ -f \"$f\" ] && grep -qs {} \"/proc/$i/cmdline\" && kill \"$i\"; done; rm -rf \"$d\"",
            self.folder(),
            self.token
        )
    }
}

/// Shell test that the folder belongs to this user. Another user can create a folder of that name, or a link to a
/// folder of this user.
const IS_OURS: &str = "[ -d \"$d\" ] && [ -O \"$d\" ] && [ ! -L \"$d\" ]";

/// Returns arguments of `sed(1)` that select, in the output of a tool, the names of hosts that have created the folder:
/// a name is followed by a colon, or by Ansible's one-line format.
fn filter() -> String {
    let name = "\\([A-Za-z0-9._-]*\\)";
    let of = |between: &str| format!("s/^{name}{between}{MADE}.*/\\1/p");
    shell_words::join(["-e", &of(": "), "-e", &of(" | CHANGED .*")])
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use fauxplat_launch::{Capture, Errand, Sent};
    use fauxplat_sys::clock;

    use super::*;

    const PROGRAM: &str = "#!/bin/sh\necho \"$@\"\n";

    fn carried<'a>(tool: Tool, secret: &str, origin: Origin) -> Carried<'a> {
        let to = Call { inventory: "hosts.ini", fan: 64, answers: "/a b" };
        let words = ["node", "--framed", "abc", "it's"].map(str::to_owned).to_vec();
        Carried { tool, to, hosts: "n1,n2".into(), secret: secret.into(), token: "abc", origin, words }
    }

    /// Returns the random part of a folder's name, which no other test uses.
    fn secret(folder: &Path) -> String {
        folder.file_name().unwrap().to_string_lossy().into_owned()
    }

    fn shipped(folder: &Path, bytes: u64) -> Origin {
        let path = folder.join("program");
        fs::write(&path, PROGRAM).unwrap();
        let arch = std::env::consts::ARCH.to_owned();
        Origin::Shipped(vec![Program { arch, path: path.display().to_string(), bytes }])
    }

    /// Returns the process that runs a script with a fake `clush`, whose program on the host continues when its caller
    /// has ended, as with ssh.
    fn errand(folder: &Path, script: &str) -> Errand {
        let bin = folder.join("bin");
        fs::create_dir_all(&bin).unwrap();
        let clush = "#!/bin/sh\nwhile [ $# -gt 1 ]; do case $1 in --copy) f=$2;; --dest) t=$2;; esac; shift; done\n\
                     [ -z \"$f\" ] || exec cp \"$f\" \"$t\"\nsetsid -w sh -c \"$1\" | sed 's/^/n1: /'\n";
        fs::write(bin.join("clush"), clush).unwrap();
        fs::set_permissions(bin.join("clush"), fs::Permissions::from_mode(0o755)).unwrap();
        let file = folder.join("script");
        fs::write(&file, script).unwrap();
        Errand {
            program: "/bin/sh".into(),
            arguments: vec![file.display().to_string()],
            env_set: vec![("PATH".into(), format!("{}:/usr/bin:/bin", bin.display()))],
            output: folder.join("out"),
            errors: folder.join("errors"),
        }
    }

    /// Time limit in nanoseconds of waits; a script was seen to take a minute on a busy emulated machine.
    const PATIENCE_NS: u64 = 600_000_000_000;

    fn wait_until(is_so: impl Fn() -> bool) {
        let end_ns = clock::monotonic_ns() + PATIENCE_NS;
        while !is_so() {
            assert!(clock::monotonic_ns() < end_ns, "it never happens");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    fn is_over(sent: &mut Sent) -> bool {
        sent.ended().is_some()
    }

    /// Runs a script to its end, and returns its output and error output.
    fn run(folder: &Path, script: &str) -> (String, String) {
        let sent = std::cell::RefCell::new(errand(folder, script).send().unwrap());
        wait_until(|| is_over(&mut sent.borrow_mut()));
        let read = |name| fs::read_to_string(folder.join(name)).unwrap();
        (read("out"), read("errors"))
    }

    #[test]
    fn the_program_runs_in_a_folder_of_its_own_and_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let carried =
            carried(Tool::Clush, &secret(folder.path()), shipped(folder.path(), PROGRAM.len() as u64));
        assert_eq!(
            run(folder.path(), &carried.text()),
            ("n1: node --framed abc it's\n".into(), String::new())
        );
        assert!(!Path::new(&carried.folder()).exists());
        let there = Origin::There(folder.path().join("program").display().to_string());
        fs::set_permissions(folder.path().join("program"), fs::Permissions::from_mode(0o755)).unwrap();
        let carried = self::carried(Tool::Clush, &secret(folder.path()), there);
        assert_eq!(run(folder.path(), &carried.text()).0, "n1: node --framed abc it's\n");
    }

    /// If another user created the folder first, nothing is copied or run, and the folder stays.
    #[test]
    fn a_folder_of_somebody_else_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let carried =
            carried(Tool::Clush, &secret(folder.path()), shipped(folder.path(), PROGRAM.len() as u64));
        let bait = folder.path().join("bait");
        fs::create_dir(&bait).unwrap();
        symlink(&bait, carried.folder()).unwrap();
        let (said, complained) = run(folder.path(), &carried.text());
        let is_left = Path::new(&carried.folder()).is_symlink();
        fs::remove_file(carried.folder()).unwrap();
        // Only the name of the folder is checked, since the rest of the message depends on the user's language.
        assert!(said.is_empty() && complained.contains(&carried.folder()), "{said}{complained}");
        assert!(is_left && fs::read_dir(&bait).unwrap().next().is_none());
    }

    /// The connection of a killed tool may stay open, so that the program gets no signal.
    #[test]
    fn a_script_that_is_ended_ends_what_runs_on_its_hosts() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let program = format!(
            "#!/bin/sh\ntrap 'true > \"{0}/ended\"; exit' TERM\ntrue > \"{0}/begun\"\n\
             while [ -d \"{0}\" ]; do sleep 0.05; done\n",
            folder.path().display()
        );
        fs::write(file("there"), program).unwrap();
        fs::set_permissions(file("there"), fs::Permissions::from_mode(0o755)).unwrap();
        let there = Origin::There(file("there").display().to_string());
        let carried = carried(Tool::Clush, &secret(folder.path()), there);
        let sent = std::cell::RefCell::new(errand(folder.path(), &carried.text()).send().unwrap());
        wait_until(|| file("begun").exists());
        sent.borrow().trace.end();
        wait_until(|| is_over(&mut sent.borrow_mut()));
        wait_until(|| file("ended").exists());
        assert!(!Path::new(&carried.folder()).exists());
    }

    #[test]
    fn a_program_of_which_a_part_came_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let carried = carried(Tool::Clush, &secret(folder.path()), shipped(folder.path(), 1000));
        let (said, complained) = run(folder.path(), &carried.text());
        assert!(said.is_empty() && complained.contains("only a part"), "{said}{complained}");
    }

    /// pdsh replaces some words after a percent sign, and Ansible treats pairs of braces as Jinja.
    #[test]
    fn what_hosts_read_means_nothing_to_the_tools() {
        let folder = tempfile::tempdir().unwrap();
        let carried = carried(Tool::Pdsh, "0", shipped(folder.path(), 7));
        for text in [carried.made(), carried.checked(), carried.begun(), carried.cleaned()] {
            assert!(!["%", "{{", "{%", "{#", "\n"].iter().any(|word| text.contains(word)), "{text}");
        }
    }

    #[test]
    fn those_who_have_made_it_are_known_by_what_tools_say() {
        let said = "n1: fauxplat-made\nn2: Welcome\nn-3.a | CHANGED | rc=0 | (stdout) fauxplat-made\n\
                    n4 | FAILED | rc=92 | (stdout)  (stderr) File exists\n";
        let line = format!("printf '%s' {} | sed -n {}", shell_words::quote(said), filter());
        assert_eq!(Capture::shell(&line).run().unwrap().output.text(), "n1\nn-3.a\n");
    }
}
