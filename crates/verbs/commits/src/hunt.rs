//! The whole search: the ends, the steps, and the confirmation of the commit that was found.

use fauxplat_experiment::Failure;
use fauxplat_experiment::steer::Until;
use fauxplat_model::{CompareFindings, GateQuestion, Rule};

use crate::decision::{Budget, Change, Ratio};
use crate::findings::{Answer, Commit, Compared, Outcome, Step};
use crate::search::{Search, Side};
use crate::state::Known;

/// Undecided commits after which no other is tried: what hides the side of so many hides that of the next.
const UNDECIDED_MAX: usize = 3;

/// Where commits are measured: this machine, or a simulated one.
pub trait Laboratory {
    /// Compares commits with the first of them, by their numbers.
    ///
    /// # Errors
    /// Something that no other commit would mend.
    fn compare(&mut self, commits: &[usize], test: Test) -> Result<Attempt, Failure>;

    /// Tells the user what comes next.
    fn tell(&mut self, line: &str);

    /// Seconds that the longest build took so far.
    fn build_s(&self) -> f64 {
        0.0
    }
}

/// How commits are compared.
pub struct Test {
    /// Level of the judge, which its comparisons share.
    pub level: f64,
    /// Differences within this ratio count as none.
    pub margin: f64,
    /// Seconds for which an undecided comparison goes on.
    pub limit_s: f64,
    /// Seconds after which it ends in any case; `None` where the user set no time.
    pub most_s: Option<f64>,
    /// The question that ends it.
    pub until: Until,
}

/// Seconds below which nothing is left of a stated time: a comparison ends a run before its time is over.
const LEFT_S_MIN: f64 = 0.1;

/// Pairs without which no comparison ends undecided, however long they take: fewer have no pattern of signs that is rare
/// enough.
const PAIRS_MIN: u32 = 64;

impl Test {
    /// The rule of the judge, with everything else as the user's.
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
    /// The comparison, unless time was up before a pair could be analysed: there is no ratio then.
    fn of_pairs(self) -> Option<Compared> {
        self.ratio.ratio.is_finite().then_some(self)
    }

    /// The comparisons of a finding with its first command.
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

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Attempt {
    /// Each commit over the first.
    Measured(Vec<Compared>),
    /// A commit could not be built or run; the reason.
    Failed(String),
    /// The user stopped it.
    Stopped,
}

/// The commits that are searched, and the rule of the search.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// The commits, the good end first and the bad one last.
    pub commits: Vec<Commit>,
    /// Numbers of each commit's parents among them.
    pub parents: Vec<Vec<usize>>,
    /// Probability of a wrong answer.
    pub level: f64,
    /// Differences of the ends within this ratio count as none.
    pub margin: f64,
    /// Seconds for the ends, and for each step.
    pub limit_s: f64,
    /// Seconds for all comparisons of this call; `None` for no limit.
    pub total_s: Option<f64>,
}

/// The end of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Hunted {
    /// How it ended.
    pub answer: Answer,
    /// The ends and the steps.
    pub known: Known,
    /// Numbers of the commits that may have made the change.
    pub suspects: Vec<usize>,
    /// The only suspect, the commit before it, and their ratio.
    pub found: Option<(usize, usize, Option<Compared>)>,
}

/// A search under way.
struct Course<'a> {
    hunt: &'a Hunt,
    laboratory: &'a mut dyn Laboratory,
    note: &'a mut dyn FnMut(&Known) -> Result<(), Failure>,
    known: Known,
    budget: Budget,
    spent_s: f64,
}

impl Hunt {
    /// Searches, from what an earlier call found out. `note` is called with what is known after each comparison.
    ///
    /// # Errors
    /// Errors of the laboratory, and of `note`.
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
            // Before the ends are compared, every commit may have made a change.
            Err(Answer::Stopped) => {
                return Ok(course.over(Answer::Stopped, Search::new(&self.parents).suspects(), None));
            }
            Err(answer) => return Ok(course.over(answer, Vec::new(), None)),
        };
        let mut search = Search::new(&self.parents);
        for step in &course.known.steps {
            // Of another history with the same ends nothing is taken over.
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

/// Takes the outcome of a step into the search.
fn take(search: &mut Search, commit: usize, outcome: Outcome) {
    match outcome {
        Outcome::Good => search.decide(commit, Side::Good),
        Outcome::Bad => search.decide(commit, Side::Bad),
        Outcome::Undecided | Outcome::Failed => search.pass(commit),
    }
}

impl Course<'_> {
    /// The change between the ends, or the answer where there is none.
    fn ends(&mut self) -> Result<Result<Change, Answer>, Failure> {
        if self.known.ends.is_some() {
            return Ok(Ok(Change { up: self.known.up, near: self.known.near }));
        }
        let (margin, last) = (self.hunt.margin, self.hunt.last());
        self.laboratory.tell("do the ends differ?");
        let until =
            until(move |stands| Change::of(stands[0], margin).is_some() || stands[0].is_within(margin));
        // Of a stated time the ends may take a quarter, and the steps share the rest.
        let (limit_s, most_s) = (self.limit_s(4), self.left_s());
        let test = Test { level: self.budget.ends(), margin, limit_s, most_s, until };
        let ends = match self.compare(&[0, last], test)? {
            Attempt::Measured(compared) => compared[0],
            Attempt::Failed(why) => return Err(Failure::command(format!("an end of the search: {why}"))),
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

    /// Tells how long the rest will take, by the pace of the ends: a step has three commits in the place of two.
    fn foretell(&mut self, ends: Compared) {
        let steps = Search::new(&self.hunt.parents).steps();
        let (step_s, build_s) = (1.5 * ends.elapsed_s, self.laboratory.build_s());
        self.laboratory.tell(&format!(
            "the ends differ by {:+.2} %; up to {steps} steps of about {step_s:.0} s, and as many builds of about {build_s:.0} s",
            100.0 * (ends.ratio.ratio - 1.0)
        ));
    }

    /// Divides the suspects as long as that can be done; an answer where the search ends early.
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

    /// Measures a commit beside both ends; `None` if the user, or the end of the time, stopped that before it was decided.
    fn step(&mut self, commit: usize, change: Change, limit_s: f64) -> Result<Option<Step>, Failure> {
        let measured = self.known.steps.iter().filter(|step| step.outcome != Outcome::Failed).count();
        let error = self.budget.step(measured as u32);
        // Of the two tests, each on one side, one has a true statement: with both and the winner's the judge has three
        // comparisons, and by Holm's procedure the last that is open has up to half of its level.
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
            // A commit that had no more than the rest of the time is not passed for that.
            None if self.is_out_of_time() => return Ok(None),
            None => Outcome::Undecided,
        };
        let is_between = change.is_between(from_good.ratio, to_bad.ratio);
        let (from_good, to_bad) = (from_good.of_pairs(), to_bad.of_pairs());
        Ok(Some(Step { outcome, from_good, to_bad, is_between, ..step }))
    }

    /// Shows that the only suspect differs from the commit before it.
    fn confirm(mut self, suspects: Vec<usize>, change: Change) -> Result<Hunted, Failure> {
        let [commit] = suspects[..] else { return Ok(self.over(Answer::Several, suspects, None)) };
        let before = self.hunt.parents[commit].first().copied().unwrap_or(0);
        // The ends have been compared with each other already.
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

    /// Seconds for the next of so many comparisons: the usual limit, or its share of what is left of a stated time.
    fn limit_s(&self, parts: u32) -> f64 {
        let Some(left_s) = self.left_s() else { return self.hunt.limit_s };
        self.hunt.limit_s.max(left_s / f64::from(parts.max(1))).min(left_s)
    }

    /// Seconds that are left of a stated time.
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

/// A question about the ratios of all commits to the first at a look.
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
