//! The name of a repository: that of its remote, which all clones share, or the path of its folder.

use std::path::Path;

/// Name of a repository by the text of its `config` file, `None` where it names no remote: the address of the remote
/// `origin` or, without one, of the first remote.
pub(crate) fn by_config(config: &str) -> Option<String> {
    let mut first = None;
    let mut section = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.strip_prefix("[remote \"").and_then(|rest| rest.strip_suffix("\"]"));
            continue;
        }
        let (Some(remote), Some((key, value))) = (section, line.split_once('=')) else { continue };
        if !key.trim().eq_ignore_ascii_case("url") {
            continue;
        }
        let name = of_address(value.trim().trim_matches('"'));
        if remote == "origin" && name.is_some() {
            return name;
        }
        first = first.or(name);
    }
    first
}

/// Host and path of a remote's address: `https://ada:secret@example.org/ada/tool.git`, `git@example.org:ada/tool.git` and
/// `ssh://git@example.org:22/ada/tool` are all `example.org/ada/tool`. An address on this machine is an absolute path;
/// `None` for a relative one, which is none of all clones.
fn of_address(address: &str) -> Option<String> {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let path = |path: &str| {
        let path = path.trim_end_matches('/');
        path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/').to_owned()
    };
    let named = |host: &str, rest: &str| {
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        // Clones by different protocols name different ports.
        let host = host.split(':').next().unwrap_or(host).to_ascii_lowercase();
        let rest = path(rest.trim_start_matches('/'));
        (!host.is_empty() && !rest.is_empty()).then(|| format!("{host}/{rest}"))
    };
    if let Some((scheme, rest)) = address.split_once("://") {
        // A password that is not encoded may contain slashes.
        let rest = match rest.rsplit_once('@') {
            Some((user, rest)) if user.contains(':') || !user.contains('/') => rest,
            _ => rest,
        };
        let (host, rest) = rest.split_once('/')?;
        return match scheme {
            "file" => Some(format!("/{}", path(rest))),
            _ => named(host, rest),
        };
    }
    match (address.starts_with('/'), address.split_once(':')) {
        (true, _) => Some(path(address)).filter(|path| !path.is_empty()),
        // A colon after a slash belongs to a path.
        (false, Some((host, rest))) if !host.contains('/') => named(host, rest),
        _ => None,
    }
}

/// Name of the repository whose folder is `shared`, which lies in the top of a work tree as `.git`, or is bare.
pub(crate) fn by_folder(shared: &Path) -> Option<String> {
    let folder = match shared.file_name().is_some_and(|name| name == ".git") {
        true => shared.parent()?,
        false => shared,
    };
    folder.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_have_one_name_by_whatever_protocol_and_no_password() {
        for address in [
            "https://example.org/ada/tool",
            "https://ada:se:cr@et@Example.org/ada/tool.git",
            "https://token@example.org:443/ada/tool.git/",
            "https://ada:se/cr/et@example.org/ada/tool",
            "https://example.org/ada/tool.git?access_token=secret",
            "git@example.org:ada/tool.git",
            "example.org:/ada/tool",
            "ssh://git@example.org:22/ada/tool",
            "git://example.org/ada/tool.git",
        ] {
            assert_eq!(of_address(address).as_deref(), Some("example.org/ada/tool"), "{address}");
        }
    }

    #[test]
    fn an_address_on_this_machine_is_an_absolute_path() {
        for address in ["/srv/git/tool.git", "file:///srv/git/tool", "/srv/git/tool/"] {
            assert_eq!(of_address(address).as_deref(), Some("/srv/git/tool"), "{address}");
        }
        assert_eq!(of_address("/srv/a:b").as_deref(), Some("/srv/a:b"));
        assert_eq!(of_address("https://example.org/@ada/tool").as_deref(), Some("example.org/@ada/tool"));
        for address in
            ["", "../tool", "./a:b", "https://", "https://example.org", "https://example.org/", ":x"]
        {
            assert_eq!(of_address(address), None, "{address}");
        }
    }

    #[test]
    fn the_remote_origin_comes_first() {
        let of =
            |name: &str, url: &str| format!("[remote \"{name}\"]\n\turl = {url}\n\tfetch = +refs/heads/*\n");
        let (other, own) =
            (of("fork", "https://example.org/eve/tool"), of("origin", "https://example.org/ada/tool"));
        let core = "[core]\n\turl = https://example.org/no/remote\n";
        assert_eq!(by_config(&[core, &other, &own].concat()).as_deref(), Some("example.org/ada/tool"));
        assert_eq!(by_config(&[core, &other].concat()).as_deref(), Some("example.org/eve/tool"));
        assert_eq!(by_config(core), None);
        assert_eq!(by_config(""), None);
        assert_eq!(by_config("[remote \"origin\"]\nurl = ../near\n"), None);
    }

    #[test]
    fn a_repository_without_a_remote_is_its_folder() {
        assert_eq!(by_folder(Path::new("/home/ada/tool/.git")).as_deref(), Some("/home/ada/tool"));
        assert_eq!(by_folder(Path::new("/srv/tool.git")).as_deref(), Some("/srv/tool.git"));
    }
}
