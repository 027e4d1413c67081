// SPDX-License-Identifier: Apache-2.0
//! Generates the wire records from `guest/proto/guest.proto`, for the subset of proto3 that this file uses. A generator of our
//! own keeps the guest at one dependency and its build free of protoc and procedural macros.

use std::fmt::Write as _;
use std::{env, fs, path::Path};

const PROTO: &str = "../proto/guest.proto";

fn main() {
    println!("cargo:rerun-if-changed={PROTO}");
    println!("cargo:rerun-if-changed=build.rs");
    let source = fs::read_to_string(PROTO).expect("guest.proto is readable");
    let messages = Parser::new(&source).file();
    let mut code = String::new();
    for message in &messages {
        message.write(&mut code);
    }
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("guest.rs"), code).expect("OUT_DIR is writable");
}

struct Message {
    name: String,
    fields: Vec<Field>,
    oneofs: Vec<(String, Vec<Field>)>,
    enums: Vec<(String, Vec<(String, u32)>)>,
}

#[derive(Clone, PartialEq)]
enum Label {
    Plain,
    Optional,
    Repeated,
    Map,
}

struct Field {
    label: Label,
    kind: String,
    name: String,
    number: u32,
}

/// Reads the tokens of a file; panics (a failed build) at anything it does not know.
struct Parser {
    tokens: Vec<String>,
    at: usize,
}

impl Parser {
    fn new(source: &str) -> Self {
        let mut tokens = Vec::new();
        for line in source.lines() {
            let line = line.split("//").next().unwrap_or("");
            let mut word = String::new();
            for c in line.chars() {
                if c.is_alphanumeric() || c == '_' || c == '.' || c == '"' {
                    word.push(c);
                    continue;
                }
                if !word.is_empty() {
                    tokens.push(std::mem::take(&mut word));
                }
                if !c.is_whitespace() {
                    tokens.push(c.to_string());
                }
            }
            if !word.is_empty() {
                tokens.push(word);
            }
        }
        Parser { tokens, at: 0 }
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn expect(&mut self, token: &str) {
        let found = self.next();
        assert_eq!(found, token, "token {} of {PROTO}", self.at);
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|t| t == token);
        self.at += usize::from(found);
        found
    }

    fn file(&mut self) -> Vec<Message> {
        let mut messages = Vec::new();
        while self.at < self.tokens.len() {
            match self.next().as_str() {
                "message" => messages.push(self.message()),
                "syntax" | "package" | "option" => while self.next() != ";" {},
                other => panic!("unknown statement {other}"),
            }
        }
        messages
    }

    fn message(&mut self) -> Message {
        let mut message = Message { name: self.next(), fields: vec![], oneofs: vec![], enums: vec![] };
        self.expect("{");
        while !self.take("}") {
            if self.take("oneof") {
                let name = self.next();
                self.expect("{");
                let mut fields = vec![];
                while !self.take("}") {
                    fields.push(self.field());
                }
                message.oneofs.push((name, fields));
            } else if self.take("enum") {
                let name = self.next();
                message.enums.push((name, self.values()));
            } else {
                message.fields.push(self.field());
            }
        }
        message
    }

    fn values(&mut self) -> Vec<(String, u32)> {
        let mut values = vec![];
        self.expect("{");
        while !self.take("}") {
            let name = self.next();
            self.expect("=");
            values.push((name, self.number()));
            self.expect(";");
        }
        values
    }

    fn field(&mut self) -> Field {
        let mut label = Label::Plain;
        let mut kind = self.next();
        if kind == "optional" {
            label = Label::Optional;
            kind = self.next();
        } else if kind == "repeated" {
            label = Label::Repeated;
            kind = self.next();
        } else if kind == "map" {
            label = Label::Map;
            for token in ["<", "string", ",", "bytes", ">"] {
                self.expect(token);
            }
        }
        let name = self.next();
        self.expect("=");
        let number = self.number();
        self.expect(";");
        Field { label, kind, name, number }
    }

    fn number(&mut self) -> u32 {
        self.next().parse().expect("a number")
    }
}

fn scalar(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "uint32" => "u32",
        "uint64" => "u64",
        "sint32" => "i32",
        "sint64" => "i64",
        "bool" => "bool",
        "string" => "String",
        "bytes" => "Vec<u8>",
        _ => return None,
    })
}

fn camel(name: &str) -> String {
    let mut out = String::new();
    for part in name.split('_') {
        let (head, tail) = part.split_at(1);
        out += &head.to_uppercase();
        out += &tail.to_lowercase();
    }
    out
}

fn module(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.chars().enumerate() {
        if i > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn ident(name: &str) -> String {
    if name == "type" {
        "r#type".to_string()
    } else {
        name.to_string()
    }
}

impl Message {
    fn is_enum(&self, kind: &str) -> bool {
        self.enums.iter().any(|(name, _)| name == kind)
    }

    fn rust_type(&self, field: &Field) -> String {
        let base = match scalar(&field.kind) {
            Some(name) => name.to_string(),
            None if self.is_enum(&field.kind) => format!("{}::{}", module(&self.name), field.kind),
            None => field.kind.clone(),
        };
        let message = scalar(&field.kind).is_none() && !self.is_enum(&field.kind);
        match field.label {
            Label::Repeated => format!("Vec<{base}>"),
            Label::Map => "Vec<(String, Vec<u8>)>".to_string(),
            Label::Optional => format!("Option<{base}>"),
            Label::Plain if message => format!("Option<{base}>"),
            Label::Plain => base,
        }
    }

    fn write(&self, out: &mut String) {
        self.write_module(out);
        let name = &self.name;
        writeln!(out, "#[derive(Clone, Debug, Default, PartialEq)]\npub struct {name} {{").unwrap();
        for field in &self.fields {
            writeln!(out, "    pub {}: {},", ident(&field.name), self.rust_type(field)).unwrap();
        }
        for (oneof, _) in &self.oneofs {
            writeln!(out, "    pub {oneof}: Option<{}::{}>,", module(name), camel(oneof)).unwrap();
        }
        writeln!(out, "}}\nimpl Message for {name} {{").unwrap();
        writeln!(out, "    #[allow(unused_variables)]\n    fn encode(&self, out: &mut Vec<u8>) {{").unwrap();
        for field in &self.fields {
            self.write_encode(out, field);
        }
        for (oneof, fields) in &self.oneofs {
            let path = format!("{}::{}", module(name), camel(oneof));
            writeln!(out, "        match &self.{oneof} {{\n            None => {{}}").unwrap();
            for f in fields {
                let call = format!("{}::put_{}(out, {}, v)", "wire", self.codec(f), f.number);
                writeln!(out, "            Some({path}::{}(v)) => {call},", camel(&f.name)).unwrap();
            }
            writeln!(out, "        }}").unwrap();
        }
        writeln!(out, "    }}\n    #[allow(unused_variables)]").unwrap();
        writeln!(out, "    fn merge(&mut self, number: u32, value: Value<'_>) -> Result<(), Malformed> {{").unwrap();
        writeln!(out, "        match number {{").unwrap();
        for field in &self.fields {
            self.write_merge(out, field);
        }
        for (oneof, fields) in &self.oneofs {
            let path = format!("{}::{}", module(name), camel(oneof));
            for f in fields {
                let get = format!("wire::get_{}(value)?", self.codec(f));
                writeln!(out, "            {} => self.{oneof} = Some({path}::{}({get})),", f.number, camel(&f.name)).unwrap();
            }
        }
        writeln!(out, "            _ => {{}}\n        }}\n        Ok(())\n    }}\n}}").unwrap();
    }

    /// Name of the pair of functions in `wire` that writes and reads one value.
    fn codec(&self, field: &Field) -> &str {
        match scalar(&field.kind) {
            Some("Vec<u8>") => "bytes",
            Some("String") => "string",
            Some(name) => name,
            None if self.is_enum(&field.kind) => "enum",
            None => "message",
        }
    }

    fn write_encode(&self, out: &mut String, field: &Field) {
        let (name, number, codec) = (ident(&field.name), field.number, self.codec(field));
        let put = format!("wire::put_{codec}(out, {number}, v)");
        match (&field.label, codec) {
            (Label::Map, _) => writeln!(out, "        for e in &self.{name} {{ wire::put_entry(out, {number}, e); }}"),
            (Label::Repeated, _) => writeln!(out, "        for v in &self.{name} {{ {put}; }}"),
            (Label::Optional, _) | (_, "message") => writeln!(out, "        if let Some(v) = &self.{name} {{ {put}; }}"),
            (Label::Plain, "enum") => {
                writeln!(out, "        if self.{name} as u32 != 0 {{ wire::put_u32(out, {number}, &(self.{name} as u32)); }}")
            }
            (Label::Plain, "string" | "bytes") => {
                writeln!(out, "        if !self.{name}.is_empty() {{ let v = &self.{name}; {put}; }}")
            }
            (Label::Plain, "bool") => writeln!(out, "        if self.{name} {{ let v = &true; {put}; }}"),
            (Label::Plain, _) => writeln!(out, "        if self.{name} != 0 {{ let v = &self.{name}; {put}; }}"),
        }
        .unwrap();
    }

    fn write_merge(&self, out: &mut String, field: &Field) {
        let (name, number, codec) = (ident(&field.name), field.number, self.codec(field));
        let get = format!("wire::get_{codec}(value)?");
        match (&field.label, codec) {
            (Label::Map, _) => writeln!(out, "            {number} => self.{name}.push(wire::get_entry(value)?),"),
            (Label::Repeated, _) => writeln!(out, "            {number} => self.{name}.push({get}),"),
            (Label::Optional, _) | (_, "message") => writeln!(out, "            {number} => self.{name} = Some({get}),"),
            (_, "enum") => {
                let path = format!("{}::{}", module(&self.name), field.kind);
                writeln!(out, "            {number} => self.{name} = {path}::from_number(wire::get_u32(value)?),")
            }
            _ => writeln!(out, "            {number} => self.{name} = {get},"),
        }
        .unwrap();
    }

    fn write_module(&self, out: &mut String) {
        if self.enums.is_empty() && self.oneofs.is_empty() {
            return;
        }
        writeln!(out, "pub mod {} {{", module(&self.name)).unwrap();
        for (oneof, fields) in &self.oneofs {
            writeln!(out, "    #[derive(Clone, Debug, PartialEq)]\n    pub enum {} {{", camel(oneof)).unwrap();
            for field in fields {
                let kind = scalar(&field.kind).map_or_else(|| format!("super::{}", field.kind), str::to_string);
                writeln!(out, "        {}({kind}),", camel(&field.name)).unwrap();
            }
            writeln!(out, "    }}").unwrap();
        }
        for (name, values) in &self.enums {
            writeln!(out, "    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]\n    pub enum {name} {{").unwrap();
            for (i, (value, number)) in values.iter().enumerate() {
                let default = if i == 0 { "#[default] " } else { "" };
                writeln!(out, "        {default}{} = {number},", camel(value)).unwrap();
            }
            writeln!(out, "    }}\n    impl {name} {{\n        pub fn from_number(number: u32) -> Self {{").unwrap();
            writeln!(out, "            match number {{").unwrap();
            for (value, number) in values {
                writeln!(out, "                {number} => Self::{},", camel(value)).unwrap();
            }
            writeln!(out, "                _ => Self::default(),\n            }}\n        }}\n    }}").unwrap();
        }
        writeln!(out, "}}").unwrap();
    }
}
