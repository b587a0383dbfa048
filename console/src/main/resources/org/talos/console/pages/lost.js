// SPDX-License-Identifier: Apache-2.0
/**
 * Servers that a cluster no longer lists, as they were away for longer than the others waited. Their loss stays visible
 * until they are back, or until a user says that they were removed on purpose.
 */
import {choose, setting} from "../settings.js";

const AWAY = /^(\S+) is (away|back)$/;
const PREFIX = "gone.";
const seen = new Map(); // by server: when this page saw it last

/**
 * The lost servers of a cluster, each as a row of the list of servers, with since in milliseconds.
 *
 * @param servers and events as REST has them: a server that was never drained is in the events, or was seen here
 */
export function lostServers({servers, events}) {
    const there = new Set(servers.map(each => each.server));
    there.forEach(server => seen.set(server, Date.now()));
    const away = new Map();
    for (const {at, text} of events) {
        const [, server, what] = AWAY.exec(text) ?? [];
        if (what === "away") {
            away.set(server, Date.parse(at));
        } else {
            away.delete(server);
        }
    }
    return [...new Map([...seen, ...away])]
        .filter(([server, since]) => !there.has(server) && since > Number(setting(PREFIX + server, "0")))
        .map(([server, since]) => ({server, since, state: "lost", address: "", partitions: 0, failing: []}));
}

/** Lists a server no more, until it is lost once more. */
export function forgetServer(server) {
    choose(PREFIX + server, String(Date.now()));
}
