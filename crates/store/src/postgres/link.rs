//! A connection to a server, on which every wait is bounded.

use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls};

use super::error::{away, told};
use super::url::Url;
use crate::StoreError;

#[derive(Clone)]
pub struct Patience {
    /// Maximum time to wait for each answer of the server.
    pub answer: Duration,
    /// Called regularly while an answer is awaited; the wait ends when it returns `false`.
    pub go_on: Rc<dyn Fn() -> bool>,
}

impl std::fmt::Debug for Patience {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} for each answer", self.answer)
    }
}

impl Patience {
    /// Returns a patience of so many seconds for each answer, without any other reason to give up.
    pub fn of_seconds(seconds: u64) -> Self {
        Patience { answer: Duration::from_secs(seconds), go_on: Rc::new(|| true) }
    }
}

const SLICE: Duration = Duration::from_millis(50);

/// A connection to a server. Its asynchronous runtime makes progress only while a caller waits: no thread of it would
/// disturb a measurement.
pub(super) struct Link {
    /// The asynchronous runtime of the connection; `None` only while the connection is being dropped.
    runtime: Option<Runtime>,
    client: Client,
    patience: Patience,
}

impl Drop for Link {
    fn drop(&mut self) {
        // Name resolution runs in a separate thread of the runtime and may take minutes, so the threads are not waited
        // for.
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

impl Link {
    pub(super) fn open(url: &Url, patience: Patience) -> Result<Self, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| away(url, &error.to_string()))?;
        let opened = patient(url, &runtime, &patience, url.config().connect(NoTls));
        let (client, connection) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                runtime.shutdown_background();
                return Err(error);
            }
        };
        // The task drives the connection, and its result is dropped: the call that waits for an answer reports why the
        // connection ended.
        drop(runtime.spawn(connection));
        Ok(Link { runtime: Some(runtime), client, patience })
    }

    pub(super) fn wait<'a, T, F>(
        &'a self,
        url: &Url,
        ask: impl FnOnce(&'a Client) -> F,
    ) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, tokio_postgres::Error>>,
    {
        let runtime = self.runtime.as_ref().expect("a link that is used is not being dropped");
        patient(url, runtime, &self.patience, ask(&self.client))
    }
}

/// Waits for the answer of the server to `work`, within the limits of `patience`.
fn patient<T>(
    url: &Url,
    runtime: &Runtime,
    patience: &Patience,
    work: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, StoreError> {
    let slices = patience.answer.as_millis() / SLICE.as_millis();
    runtime.block_on(async {
        let mut work = pin!(work);
        for _ in 0..slices.max(1) {
            if !(patience.go_on)() {
                return Err(away(url, "fauxplat stopped waiting for it"));
            }
            if let Ok(done) = tokio::time::timeout(SLICE, &mut work).await {
                return done.map_err(|error| told(url, &error));
            }
        }
        Err(away(url, &format!("gave no answer within {:?}", patience.answer)))
    })
}
