//! Profiles: named lists of settings. Built-in profiles and those of a user have the same file format.

use std::collections::BTreeMap;
use std::path::Path;

use fauxplat_sys::text::read_text;
use serde::Deserialize;

use crate::TuneError;
use crate::setting::Setting;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    pub(crate) purpose: String,
    /// Settings, each as `KNOB=VALUE`.
    pub(crate) set: Vec<String>,
}

pub(crate) fn builtin() -> BTreeMap<String, Profile> {
    parse(include_str!("profiles.toml")).unwrap_or_default()
}

fn parse(text: &str) -> Result<BTreeMap<String, Profile>, String> {
    // The message quotes text of the file, which may contain line breaks and have an untrusted author.
    toml::from_str(text).map_err(|error| error.message().replace('\n', " "))
}

/// Returns the settings that these words ask for; each is the name of a profile, the path of a TOML file with profiles,
/// or `KNOB=VALUE`. A later word replaces the value that an earlier one set for the same knob.
///
/// # Errors
/// Fails where a word is none of these, or where a file cannot be read.
pub fn settings(words: &[String]) -> Result<Settings, TuneError> {
    let mut chosen: Vec<Setting> = Vec::new();
    for word in words {
        for setting in expand(word)? {
            chosen.retain(|earlier| earlier.name != setting.name);
            chosen.push(setting);
        }
    }
    // Within a group, settings have the order of the table of knobs, whatever the order of the words.
    let place =
        |setting: &Setting| crate::knobs::KNOBS.iter().position(|knob| knob.name == setting.knob.name);
    chosen.sort_by_key(|setting| (setting.knob.group, place(setting)));
    Ok(Settings { chosen })
}

/// Valid settings, in the order in which they are applied.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(crate) chosen: Vec<Setting>,
}

impl Settings {
    /// Returns the settings as words of the form `KNOB=VALUE`.
    pub fn words(&self) -> Vec<String> {
        self.chosen.iter().map(|setting| format!("{}={}", setting.name, setting.value)).collect()
    }

    /// Returns the names of the knobs that the user named directly, and not through a profile.
    pub fn by_name(&self) -> Vec<String> {
        self.chosen.iter().filter(|setting| setting.by_name).map(|setting| setting.name.clone()).collect()
    }
}

fn expand(word: &str) -> Result<Vec<Setting>, TuneError> {
    if word.contains('=') {
        return Ok(vec![Setting::parse(word, true)?]);
    }
    if word.contains('/') || word.ends_with(".toml") {
        return from_file(Path::new(word));
    }
    if let Some((knob, _)) = crate::knobs::find(word) {
        let reason =
            format!("it is a knob and takes a value: --set {word}=VALUE, {}", knob.values_in_words());
        return Err(TuneError::BadSetting { setting: word.to_owned(), reason });
    }
    let mut known = builtin();
    let unknown = |known: &BTreeMap<String, Profile>| TuneError::UnknownProfile {
        name: word.to_owned(),
        known: known.keys().cloned().collect::<Vec<_>>().join(", "),
    };
    let profile = known.remove(word).ok_or_else(|| unknown(&known))?;
    profile.set.iter().map(|text| Setting::parse(text, false)).collect()
}

const BYTES_MAX: usize = 1 << 20;

/// Returns all settings of all profiles in a file.
fn from_file(path: &Path) -> Result<Vec<Setting>, TuneError> {
    let bad = |reason: String| TuneError::BadProfile { path: path.to_owned(), reason };
    let text = read_text(path, BYTES_MAX).map_err(|error| bad(error.to_string()))?;
    let profiles = parse(&text).map_err(bad)?;
    profiles.values().flat_map(|profile| &profile.set).map(|text| Setting::parse(text, false)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knob::Group;

    fn names(words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        settings(&words).unwrap().words()
    }

    #[test]
    fn every_profile_of_the_house_makes_sense_and_moves_no_task() {
        let profiles = parse(include_str!("profiles.toml")).unwrap();
        assert_eq!(profiles.keys().collect::<Vec<_>>(), ["latency", "quiet", "throughput"]);
        for (name, profile) in profiles {
            let settings = settings(std::slice::from_ref(&name)).unwrap();
            assert_eq!(settings.chosen.len(), profile.set.len(), "{name}");
            let disturbs =
                |setting: &&Setting| [Group::Tasks, Group::Interrupts].contains(&setting.knob.group);
            assert!(settings.chosen.iter().find(disturbs).is_none(), "{name}");
        }
    }

    #[test]
    fn later_words_win_and_groups_keep_their_order() {
        let all = names(&["turbo=on", "ksm=off", "governor=powersave", "turbo=off"]);
        assert_eq!(all, ["governor=powersave", "turbo=off", "ksm=off"]);
        assert!(names(&["quiet", "turbo=on"]).contains(&"turbo=on".to_owned()));
    }

    #[test]
    fn words_that_make_no_sense_are_refused_with_what_would() {
        let refused = |word: &str| settings(&[word.to_owned()]).unwrap_err().to_string();
        assert!(refused("calm").contains("latency, quiet, throughput"));
        assert!(refused("turbo=maybe").contains("on | off"));
        assert!(refused("warp=9").contains("--list"));
        assert!(refused("cpu:x=offline").contains("number of a CPU"));
        assert!(refused("stat-interval=0").contains("1 … 86400"));
        assert!(refused("/nonexistent.toml").contains("/nonexistent.toml"));
    }

    #[test]
    fn a_file_of_ones_own_is_a_profile() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, "[mine]\npurpose = \"p\"\nset = [\"ksm=off\"]\n").unwrap();
        assert_eq!(names(&[path.to_str().unwrap()]), ["ksm=off"]);
        std::fs::write(&path, "[mine]\nset = 3\n").unwrap();
        assert!(settings(&[path.to_str().unwrap().to_owned()]).is_err());
    }
}
