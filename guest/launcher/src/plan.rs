// SPDX-License-Identifier: Apache-2.0
//! The arguments of `run`.

use crate::fail::Fail;

/// A lower directory and the first uid that its files are owned from.
pub struct Lower {
    pub base: u32,
    pub dir: String,
}

/// Something of the host's that the runtime needs in the new namespace, under `/run/<name>`.
pub struct Bind {
    pub name: String,
    pub writable: bool,
    pub source: String,
}

/// A directory owned from uid 0 that is to appear, mapped to the sandbox's range, at `place` in its root.
pub struct Volume {
    pub writable: bool,
    pub dir: String,
    pub place: String,
}

pub struct Plan {
    /// Files to write "0" to (`cgroup.procs`), first of all, so that whatever follows can be found and ended by its cgroup.
    pub cgroups: Vec<String>,
    pub namespace: String,
    pub base: u32,
    pub lowers: Vec<Lower>,
    /// The directory that holds the two below it.
    pub disk: String,
    pub upper: String,
    pub work: String,
    pub binds: Vec<Bind>,
    pub volumes: Vec<Volume>,
    pub nosuid: bool,
    /// How many files each process of the sandbox may have open.
    pub files: u64,
    pub runtime: Vec<String>,
}

impl Plan {
    pub fn parse(args: &[String]) -> Result<Plan, Fail> {
        let end = args.iter().position(|a| a == "--").ok_or_else(|| Fail::usage("no runtime given"))?;
        let mut plan = Plan {
            cgroups: Vec::new(),
            namespace: String::new(),
            base: 0,
            lowers: Vec::new(),
            disk: String::new(),
            upper: String::new(),
            work: String::new(),
            binds: Vec::new(),
            volumes: Vec::new(),
            nosuid: false,
            files: 0,
            runtime: args[end + 1..].to_vec(),
        };
        for arg in &args[..end] {
            let (key, value) = arg.split_once('=').ok_or_else(|| Fail::usage("expected KEY=VALUE"))?;
            plan.take(key, value)?;
        }
        plan.complete()
    }

    fn take(&mut self, key: &str, value: &str) -> Result<(), Fail> {
        match key {
            "cgroup" => self.cgroups.push(value.to_string()),
            "namespace" => self.namespace = value.to_string(),
            "base" => self.base = number(value)?,
            "lower" => {
                let (base, dir) = pair(value)?;
                self.lowers.push(Lower { base: number(base)?, dir: dir.to_string() });
            }
            "disk" => self.disk = value.to_string(),
            "upper" => self.upper = value.to_string(),
            "work" => self.work = value.to_string(),
            "read" | "write" => {
                let (name, source) = pair(value)?;
                let (name, source) = (name.to_string(), source.to_string());
                self.binds.push(Bind { name, writable: key == "write", source });
            }
            "volume" => {
                let (access, dir) = pair(value)?;
                self.volumes.push(Volume { writable: access == "write", dir: dir.to_string(), place: String::new() });
            }
            "place" => self.volumes.last_mut().ok_or_else(|| Fail::usage("a place without a volume"))?.place = value.to_string(),
            "files" => self.files = value.parse().map_err(|_| Fail::usage("not a number of files"))?,
            "nosuid" => self.nosuid = value == "true",
            _ => return Err(Fail::usage(&format!("unknown key {key}"))),
        }
        Ok(())
    }

    fn complete(self) -> Result<Plan, Fail> {
        let given = [&self.namespace, &self.disk, &self.upper, &self.work];
        let placed = self.volumes.iter().all(|v| v.place.starts_with('/'));
        let full = placed && given.iter().all(|v| !v.is_empty()) && !self.lowers.is_empty() && !self.runtime.is_empty() && self.files > 0;
        // Range 0 would make the sandbox's root the host's.
        if full && self.base > 0 { Ok(self) } else { Err(Fail::usage("incomplete")) }
    }
}

fn pair(value: &str) -> Result<(&str, &str), Fail> {
    value.split_once(':').ok_or_else(|| Fail::usage("expected A:B"))
}

fn number(value: &str) -> Result<u32, Fail> {
    value.parse().map_err(|_| Fail::usage("not a uid"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Plan, Fail> {
        Plan::parse(&args.iter().map(|a| a.to_string()).collect::<Vec<_>>())
    }

    const FULL: [&str; 6] = ["namespace=/n", "lower=0:/a:b", "disk=/d", "upper=u", "work=w", "files=1024"];

    #[test]
    fn takes_a_path_with_a_colon() {
        let plan = parse(&[&FULL[..], &["base=200000", "--", "crun"]].concat()).unwrap();
        assert_eq!(plan.lowers[0].dir, "/a:b");
    }

    #[test]
    fn refuses_the_range_of_the_hosts_root() {
        assert!(parse(&[&FULL[..], &["base=0", "--", "crun"]].concat()).is_err());
    }

    #[test]
    fn takes_volumes_with_their_places() {
        let volumes = ["volume=read:/v:1", "place=/a", "volume=write:/w", "place=/b", "base=1", "--", "crun"];
        let plan = parse(&[&FULL[..], &volumes].concat()).unwrap();
        let seen: Vec<_> = plan.volumes.iter().map(|v| (v.writable, v.dir.as_str(), v.place.as_str())).collect();
        assert_eq!(seen, [(false, "/v:1", "/a"), (true, "/w", "/b")]);
    }

    #[test]
    fn refuses_a_volume_without_a_place() {
        assert!(parse(&[&FULL[..], &["volume=read:/v", "base=1", "--", "crun"]].concat()).is_err());
    }

    #[test]
    fn refuses_an_unknown_key() {
        assert!(parse(&[&FULL[..], &["base=1", "x=y", "--", "crun"]].concat()).is_err());
    }
}
