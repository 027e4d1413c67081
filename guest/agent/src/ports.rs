// SPDX-License-Identifier: Apache-2.0
//! Listening ports, and streams to them.

use crate::answer::{done, reply, Failure, Outcome};
use crate::channel::Channel;
use crate::frame::DATA_LIMIT;
use crate::proto::{error::Code, reply::Kind, Connect, Port, PortsReply, Reply};
use crate::sys;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Duration;

const LISTENING: &str = "0A";
const PORTS_LIMIT: usize = 4096;
const CONNECT_TIME: Duration = Duration::from_secs(10);

pub fn list() -> Reply {
    let mut ports: Vec<Port> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| std::fs::read_to_string(table).ok())
        .flat_map(|text| text.lines().filter_map(port).collect::<Vec<_>>())
        .take(PORTS_LIMIT)
        .collect();
    ports.sort_by(|a, b| (a.port, &a.address).cmp(&(b.port, &b.address)));
    ports.dedup();
    reply(Kind::Ports(PortsReply { ports }))
}

/// From a line `sl local remote st queues timer retransmits uid …`.
fn port(line: &str) -> Option<Port> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    if fields.get(3) != Some(&LISTENING) {
        return None;
    }
    let (address, port) = fields.get(1)?.split_once(':')?;
    Some(Port {
        port: u32::from_str_radix(port, 16).ok()?,
        address: address_of(address)?.to_string(),
        uid: fields.get(7)?.parse().ok()?,
    })
}

/// Words of 32 bits, each in the machine's own byte order.
fn address_of(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| Some(u32::from_str_radix(hex.get(at * 8..at * 8 + 8)?, 16).ok()?.to_ne_bytes());
    if hex.len() == 8 {
        return Some(Ipv4Addr::from(word(0)?).into());
    }
    let mut bytes = [0; 16];
    for i in 0..4 {
        bytes[i * 4..i * 4 + 4].copy_from_slice(&word(i)?);
    }
    Some(Ipv6Addr::from(bytes).into())
}

pub fn connect(channel: &mut Channel, it: &Connect) -> Outcome<()> {
    let stream = dial(it)?;
    let _ = stream.set_nodelay(true);
    channel.put_reply(&done())?;
    channel.flush()?;
    relay(channel, stream)?;
    Ok(())
}

fn dial(it: &Connect) -> Outcome<TcpStream> {
    let port = u16::try_from(it.port).ok().filter(|&port| port > 0);
    let port = port.ok_or_else(|| Failure::new(Code::Invalid, "a port is 1 to 65535"))?;
    let hosts = match it.host.as_str() {
        "" => vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
        host => vec![host.parse().map_err(|_| Failure::new(Code::Invalid, "the host is no IP address"))?],
    };
    let mut failure = io::Error::from(io::ErrorKind::ConnectionRefused);
    for host in hosts {
        match TcpStream::connect_timeout(&SocketAddr::new(host, port), CONNECT_TIME) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    let mut failure = Failure::from(failure);
    failure.code = Code::Io;
    Err(failure)
}

/// Both ways until both have ended, each end of file passed on by itself. A thread would be simpler, but only one of the two
/// directions ever has to wait for the other side to take something.
fn relay(channel: &mut Channel, mut stream: TcpStream) -> io::Result<()> {
    // SAFETY: the child copies bytes from the server to the host, and shares nothing else with its parent.
    let reader = unsafe { libc::fork() };
    match reader {
        -1 => return Err(io::Error::last_os_error()),
        0 => {
            let _ = to_host(channel, &stream);
            // SAFETY: ends this process only.
            unsafe { libc::_exit(0) }
        }
        _ => {}
    }
    let mut buffer = vec![0; DATA_LIMIT];
    let ended = loop {
        match channel.read_data(&mut buffer) {
            Ok(0) => break true,
            Ok(length) if stream.write_all(&buffer[..length]).is_ok() => {}
            _ => break false,
        }
    };
    if ended {
        stream.shutdown(Shutdown::Write)?;
        // The host still reads; it closes when it has had enough.
        let mut status = 0;
        // SAFETY: our own child.
        unsafe { libc::waitpid(reader, &mut status, 0) };
        return Ok(());
    }
    // The host has left, or the server takes no more: the other direction is of no use either.
    let _ = stream.shutdown(Shutdown::Both);
    let _ = sys::kill(reader, libc::SIGKILL as u32);
    Ok(())
}

fn to_host(channel: &mut Channel, stream: &TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; DATA_LIMIT];
    loop {
        match sys::read(stream.as_raw_fd(), &mut buffer) {
            Ok(length) if length > 0 => channel.send_data(&buffer[..length])?,
            _ => return channel.send_end(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listening_lines_are_read_and_others_are_not() {
        let v4 = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0";
        assert_eq!(port(v4), Some(Port { port: 8080, address: "127.0.0.1".into(), uid: 1000 }));
        let v6 = "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 1";
        assert_eq!(port(v6), Some(Port { port: 80, address: "::1".into(), uid: 0 }));
        assert_eq!(port(&v4.replace(" 0A ", " 01 ")), None);
        assert_eq!(port("  sl  local_address rem_address   st"), None);
    }
}
