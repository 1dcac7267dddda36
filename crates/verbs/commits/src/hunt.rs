//! The whole search for a commit: comparison of the good end with the bad end, steps, and confirmation of the found
//! commit.

use fauxplat_experiment::Failure;
use fauxplat_experiment::steer::Until;
use fauxplat_model::{CompareFindings, GateQuestion, Rule};

use crate::decision::{Budget, Change, Ratio};
use crate::findings::{Answer, Commit, Compared, Outcome, Step};
use crate::search::{Search, Side};
use crate::state::Known;

/// Number of undecided commits after which the search gives up, since noise that hides the side of three commits will
/// hide that of the next one too.
const UNDECIDED_MAX: usize = 3;

/// Provider of comparisons of commits: the real machine, or a simulated one.
pub trait Laboratory {
    /// Compares commits, given by their indices in [`Hunt::commits`], with the first of the list.
    ///
    /// # Errors
    /// Fails for a reason that concerns every commit. A failure of one commit is [`Attempt::Failed`].
    fn compare(&mut self, commits: &[usize], test: Test) -> Result<Attempt, Failure>;

    /// Shows the user a line about the next action.
    fn tell(&mut self, line: &str);

    /// Duration of the longest build so far, in seconds.
    fn build_s(&self) -> f64 {
        0.0
    }
}

pub struct Test {
    /// Error level of all comparisons of the test together, among which the judge divides it.
    pub level: f64,
    /// Share up to which a difference counts as none.
    pub margin: f64,
    /// Time in seconds after which an undecided comparison ends, if it has `PAIRS_MIN` pairs of runs by then.
    pub limit_s: f64,
    /// Time in seconds after which the comparison ends in any case; `None` without a time limit of the user.
    pub most_s: Option<f64>,
    /// Condition under which the comparison ends early.
    pub until: Until,
}

/// Smallest remaining time in seconds that counts as time left, since a comparison may end up to a run before its time
/// is over.
const LEFT_S_MIN: f64 = 0.1;

/// Number of pairs of runs that a comparison needs before it may end undecided, however long these take: with fewer
/// pairs no result is improbable enough for the small errors of the steps.
const PAIRS_MIN: u32 = 64;

impl Test {
    /// The user's rule, with level, margin, limits and gate of this test in place of the user's.
    pub fn rule(&self, of_the_user: &Rule) -> Rule {
        Rule {
            level: self.level.min(0.5),
            margin: self.margin,
            max_pairs: PAIRS_MIN,
            at_least_s: Some(self.limit_s),
            max_time_s: self.most_s,
            gate: Some(GateQuestion::Different),
            ..of_the_user.clone()
        }
    }
}

impl Compared {
    /// The comparison itself; `None` if the time ended before a pair could be analysed, so that there is no ratio.
    fn of_pairs(self) -> Option<Compared> {
        self.ratio.ratio.is_finite().then_some(self)
    }

    /// Comparisons of the commands in a finding with the first command.
    pub fn with_first(found: &CompareFindings, count: usize) -> Vec<Compared> {
        let compared = found.with_first(count).iter().map(|comparison| Compared {
            ratio: Ratio {
                ratio: comparison.effect_ratio,
                low_ratio: comparison.ci_low_ratio,
                high_ratio: comparison.ci_high_ratio,
            },
            pairs: comparison.pairs,
            elapsed_s: found.elapsed_s,
        });
        compared.collect()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Attempt {
    /// Comparisons of the other commits with the first one.
    Measured(Vec<Compared>),
    /// A commit could not be built or run, for this reason.
    Failed(String),
    /// The user interrupted the comparison.
    Stopped,
}

#[derive(Clone, Debug)]
pub struct Hunt {
    /// All commits that are searched, from the good end to the bad end.
    pub commits: Vec<Commit>,
    /// Indices of the parents of each commit in `commits`.
    pub parents: Vec<Vec<usize>>,
    /// Allowed probability of a wrong answer.
    pub level: f64,
    /// Share up to which a difference between the good and the bad end counts as no change.
    pub margin: f64,
    /// Time in seconds for the comparison of the good with the bad end, and for each step.
    pub limit_s: f64,
    /// Time in seconds for all comparisons of this call of `bisect`; `None` without a limit.
    pub total_s: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hunted {
    pub answer: Answer,
    /// Results of the comparison of the good with the bad end, and of all steps.
    pub known: Known,
    /// Indices of the commits that may have made the change.
    pub suspects: Vec<usize>,
    /// Index of the only suspect and of the commit before it, and their comparison if there was one; `None` if several
    /// suspects remain, or no change was shown.
    pub found: Option<(usize, usize, Option<Compared>)>,
}

struct Course<'a> {
    hunt: &'a Hunt,
    laboratory: &'a mut dyn Laboratory,
    note: &'a mut dyn FnMut(&Known) -> Result<(), Failure>,
    known: Known,
    budget: Budget,
    spent_s: f64,
}

impl Hunt {
    /// Searches for the commit, starting from the results of earlier calls. `note` is called with all results after
    /// each comparison.
    ///
    /// # Errors
    /// Errors of the laboratory and of `note`.
    pub fn search(
        &self,
        known: Known,
        laboratory: &mut dyn Laboratory,
        note: &mut dyn FnMut(&Known) -> Result<(), Failure>,
    ) -> Result<Hunted, Failure> {
        let budget = Budget::new(self.level, Search::new(&self.parents).steps());
        let mut course = Course { hunt: self, laboratory, note, known, budget, spent_s: 0.0 };
        let change = match course.ends()? {
            Ok(change) => change,
            // If the good and the bad end were not compared, every commit is a suspect.
            Err(Answer::Stopped) => {
                return Ok(course.over(Answer::Stopped, Search::new(&self.parents).suspects(), None));
            }
            Err(answer) => return Ok(course.over(answer, Vec::new(), None)),
        };
        let mut search = Search::new(&self.parents);
        for step in &course.known.steps {
            // Another history may have the same ends, so steps with commits that this history lacks are ignored.
            if let Some(commit) = self.commits.iter().position(|commit| *commit == step.commit) {
                take(&mut search, commit, step.outcome);
            }
        }
        if let Some(answer) = course.steps(&mut search, change)? {
            return Ok(course.over(answer, search.suspects(), None));
        }
        course.confirm(search.suspects(), change)
    }

    fn last(&self) -> usize {
        self.commits.len() - 1
    }
}

fn take(search: &mut Search, commit: usize, outcome: Outcome) {
    match outcome {
        Outcome::Good => search.decide(commit, Side::Good),
        Outcome::Bad => search.decide(commit, Side::Bad),
        Outcome::Undecided | Outcome::Failed => search.pass(commit),
    }
}

impl Course<'_> {
    /// Compares the good end with the bad end. Returns the change between them, or the answer of the search if no
    /// change is shown.
    fn ends(&mut self) -> Result<Result<Change, Answer>, Failure> {
        if self.known.ends.is_some() {
            return Ok(Ok(Change { up: self.known.up, near: self.known.near }));
        }
        let (margin, last) = (self.hunt.margin, self.hunt.last());
        self.laboratory.tell("do the ends differ?");
        let until =
            until(move |stands| Change::of(stands[0], margin).is_some() || stands[0].is_within(margin));
        // With a time limit, comparing the good with the bad end gets up to a quarter of the time, and the steps share
        // the rest.
        let (limit_s, most_s) = (self.limit_s(4), self.left_s());
        let test = Test { level: self.budget.ends(), margin, limit_s, most_s, until };
        let ends = match self.compare(&[0, last], test)? {
            Attempt::Measured(compared) => compared[0],
            Attempt::Failed(why) => return Err(Failure::command(format!("--good or --bad: {why}"))),
            Attempt::Stopped => return Ok(Err(Answer::Stopped)),
        };
        self.known.ends = ends.of_pairs();
        let Some(change) = Change::of(ends.ratio, margin) else {
            let is_within = ends.ratio.is_within(margin);
            return Ok(Err(if is_within { Answer::NoChange } else { Answer::NotShown }));
        };
        (self.known.up, self.known.near) = (change.up, change.near);
        (self.note)(&self.known)?;
        self.foretell(ends);
        Ok(Ok(change))
    }

    /// Tells the user how long the search will take, estimated from the comparison of the good with the bad end. A step
    /// compares three commits instead of two, and so takes 1.5 times as long.
    fn foretell(&mut self, ends: Compared) {
        let steps = Search::new(&self.hunt.parents).steps();
        let (step_s, build_s) = (1.5 * ends.elapsed_s, self.laboratory.build_s());
        self.laboratory.tell(&format!(
            "the ends differ by {:+.2} %; up to {steps} steps of about {step_s:.0} s, and as many builds of about {build_s:.0} s",
            100.0 * (ends.ratio.ratio - 1.0)
        ));
    }

    /// Measures commits as long as one can divide the suspects. Returns the answer if the search ends early, else
    /// `None`.
    fn steps(&mut self, search: &mut Search, change: Change) -> Result<Option<Answer>, Failure> {
        while let Some(commit) = search.next() {
            let undecided = self.known.steps.iter().filter(|step| step.outcome == Outcome::Undecided).count();
            if undecided >= UNDECIDED_MAX {
                return Ok(Some(Answer::Several));
            }
            if self.is_out_of_time() {
                return Ok(Some(Answer::Stopped));
            }
            let left = search.suspects().len();
            let name = &self.hunt.commits[commit].name;
            let line = format!("{left} suspects, {} steps to go: {name}", search.steps());
            self.laboratory.tell(&line);
            let limit_s = self.limit_s(search.steps() + 1);
            let Some(step) = self.step(commit, change, limit_s)? else { return Ok(Some(Answer::Stopped)) };
            take(search, commit, step.outcome);
            self.known.steps.push(step);
            (self.note)(&self.known)?;
        }
        Ok(None)
    }

    /// Measures a commit beside both ends; `None` if the user or the time limit ended the measurement before a
    /// decision.
    fn step(&mut self, commit: usize, change: Change, limit_s: f64) -> Result<Option<Step>, Failure> {
        let measured = self.known.steps.iter().filter(|step| step.outcome != Outcome::Failed).count();
        let error = self.budget.step(measured as u32);
        // The level is four times the allowed error of the step. Exactly one of the two hypotheses is true, and its
        // test is one-sided, which halves the level. The judge makes three comparisons (with each end, and for the
        // winner), and Holm's procedure gives the second of those that are decided half of the level.
        let until = until(move |stands| change.side(stands[0].inverted(), stands[1]).is_some());
        let most_s = self.left_s();
        let test = Test { level: 4.0 * error, margin: change.margin(), limit_s, most_s, until };
        let attempt = self.compare(&[commit, 0, self.hunt.last()], test)?;
        let step = Step {
            commit: self.hunt.commits[commit].clone(),
            outcome: Outcome::Failed,
            from_good: None,
            to_bad: None,
            is_between: false,
            error,
            why: None,
        };
        let compared = match attempt {
            Attempt::Stopped => return Ok(None),
            Attempt::Failed(why) => return Ok(Some(Step { why: Some(why), ..step })),
            Attempt::Measured(compared) => compared,
        };
        let (from_good, to_bad) = (compared[0].inverted(), compared[1]);
        let outcome = match change.side(from_good.ratio, to_bad.ratio) {
            Some(Side::Good) => Outcome::Good,
            Some(Side::Bad) => Outcome::Bad,
            // A commit that only got the remaining time is not recorded as undecided, so that a later call measures it
            // again.
            None if self.is_out_of_time() => return Ok(None),
            None => Outcome::Undecided,
        };
        let is_between = change.is_between(from_good.ratio, to_bad.ratio);
        let (from_good, to_bad) = (from_good.of_pairs(), to_bad.of_pairs());
        Ok(Some(Step { outcome, from_good, to_bad, is_between, ..step }))
    }

    /// Tests whether the only suspect differs from the commit before it.
    fn confirm(mut self, suspects: Vec<usize>, change: Change) -> Result<Hunted, Failure> {
        let [commit] = suspects[..] else { return Ok(self.over(Answer::Several, suspects, None)) };
        let before = self.hunt.parents[commit].first().copied().unwrap_or(0);
        // The comparison of the good with the bad end was already the comparison of these two commits.
        if let (0, true, Some(ends)) = (before, commit == self.hunt.last(), self.known.ends) {
            return Ok(self.over(Answer::Commit, suspects, Some((commit, before, Some(ends)))));
        }
        self.laboratory
            .tell(&format!("does {} differ from the commit before it?", self.hunt.commits[commit].name));
        let until = until(move |stands| change.is_made_by(stands[0]));
        let level = 2.0 * self.budget.confirmation();
        let (limit_s, most_s) = (self.limit_s(1), self.left_s());
        let test = Test { level, margin: change.margin(), limit_s, most_s, until };
        let own = match self.compare(&[before, commit], test)? {
            Attempt::Measured(compared) => compared[0].of_pairs(),
            Attempt::Failed(_) => None,
            Attempt::Stopped => {
                return Ok(self.over(Answer::Stopped, suspects, Some((commit, before, None))));
            }
        };
        let is_made = own.is_some_and(|own| change.is_made_by(own.ratio));
        let answer = match is_made {
            true => Answer::Commit,
            false if own.is_some() && self.is_out_of_time() => Answer::Stopped,
            false => Answer::NotConfirmed,
        };
        Ok(self.over(answer, suspects, Some((commit, before, own))))
    }

    fn compare(&mut self, commits: &[usize], test: Test) -> Result<Attempt, Failure> {
        let attempt = self.laboratory.compare(commits, test)?;
        if let Attempt::Measured(compared) = &attempt {
            self.spent_s += compared.first().map_or(0.0, |first| first.elapsed_s);
        }
        Ok(attempt)
    }

    /// Time in seconds for the next of `parts` comparisons: the usual time, or the share of this comparison in the
    /// remaining time if that is longer, but never more than the remaining time.
    fn limit_s(&self, parts: u32) -> f64 {
        let Some(left_s) = self.left_s() else { return self.hunt.limit_s };
        self.hunt.limit_s.max(left_s / f64::from(parts.max(1))).min(left_s)
    }

    /// Remaining time in seconds, at least [`LEFT_S_MIN`]; `None` without a time limit.
    fn left_s(&self) -> Option<f64> {
        self.hunt.total_s.map(|total_s| (total_s - self.spent_s).max(LEFT_S_MIN))
    }

    fn is_out_of_time(&self) -> bool {
        self.hunt.total_s.is_some_and(|total_s| self.spent_s >= total_s - LEFT_S_MIN)
    }

    fn over(
        self,
        answer: Answer,
        suspects: Vec<usize>,
        found: Option<(usize, usize, Option<Compared>)>,
    ) -> Hunted {
        Hunted { answer, known: self.known, suspects, found }
    }
}

impl Compared {
    fn inverted(self) -> Self {
        Compared { ratio: self.ratio.inverted(), ..self }
    }
}

/// Condition that ends a comparison as soon as `asked` returns true for the ratios of the other commits to the first
/// one, of which there are at most two.
fn until(asked: impl Fn(&[Ratio]) -> bool + 'static) -> Until {
    Until(Box::new(move |judge| {
        let stands = (1..).map_while(|candidate| judge.stand(candidate)).take(2);
        let ratios: Vec<Ratio> = stands
            .map(|stand| Ratio {
                ratio: stand.effect_ratio,
                low_ratio: stand.ci_low_ratio,
                high_ratio: stand.ci_high_ratio,
            })
            .collect();
        !ratios.is_empty() && asked(&ratios)
    }))
}
