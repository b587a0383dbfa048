// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The names of commands and options in other queues and in shells. The script of the source tree knows the commands'
 * names, too. Immutable.
 */
final class OtherWords {
    private static final List<String> GET = List.of("get");
    private static final List<String> PUT = List.of("put");
    private static final List<String> DELETE = List.of("delete", "remove", "topic delete");
    private static final List<String> LIST = List.of("list", "topic list");
    private static final List<String> CREATE = List.of("create", "add", "topic create");
    private static final List<String> SHOW = List.of("describe", "show", "status", "topic describe");
    private static final List<String> CHANGE = List.of("alter", "set");
    private static final List<String> SERVER = List.of("server");
    private static final List<String> ENDPOINT = List.of("--endpoint");
    private static final List<String> COUNT = List.of("--count");

    /** The meanings of a word, the likeliest first; the first one that exists counts. */
    private static final Map<String, List<String>> MEANINGS = Map.ofEntries(
            Map.entry("consume", GET),
            Map.entry("subscribe", GET),
            Map.entry("receive", GET),
            Map.entry("read", GET),
            Map.entry("fetch", GET),
            Map.entry("poll", GET),
            Map.entry("cat", GET),
            Map.entry("produce", PUT),
            Map.entry("send", PUT),
            Map.entry("publish", PUT),
            Map.entry("write", PUT),
            Map.entry("follow", List.of("tail")),
            Map.entry("rm", DELETE),
            Map.entry("del", DELETE),
            Map.entry("drop", DELETE),
            Map.entry("delete", DELETE),
            Map.entry("remove", DELETE),
            Map.entry("ls", LIST),
            Map.entry("list", LIST),
            Map.entry("create", CREATE),
            Map.entry("new", CREATE),
            Map.entry("make", CREATE),
            Map.entry("add", CREATE),
            Map.entry("describe", SHOW),
            Map.entry("show", SHOW),
            Map.entry("info", SHOW),
            Map.entry("get", SHOW),
            Map.entry("update", CHANGE),
            Map.entry("change", CHANGE),
            Map.entry("edit", CHANGE),
            Map.entry("purge", List.of("empty", "topic empty")),
            Map.entry("truncate", List.of("empty", "topic empty")),
            Map.entry("seek", List.of("reset", "group reset")),
            Map.entry("start", SERVER),
            Map.entry("serve", SERVER),
            Map.entry("run", SERVER),
            Map.entry("status", List.of("cluster status")),
            Map.entry("login", List.of("profile add")),
            Map.entry("--from-beginning", List.of("--from earliest")),
            Map.entry("--bootstrap-server", ENDPOINT),
            Map.entry("--broker", ENDPOINT),
            Map.entry("--brokers", ENDPOINT),
            Map.entry("--server", ENDPOINT),
            Map.entry("--url", ENDPOINT),
            Map.entry("--host", ENDPOINT),
            Map.entry("--max-messages", COUNT),
            Map.entry("--limit", COUNT),
            Map.entry("--consumer-group", List.of("--group")),
            Map.entry("--user", List.of("--credentials")),
            Map.entry("--password", List.of("--credentials")));

    private OtherWords() {}

    /**
     * Returns the word of this program for a foreign word; empty if the word is unknown.
     *
     * @param names commands, or options, that there are where it was typed
     */
    static Optional<String> meant(String word, Collection<String> names) {
        String name = word.startsWith("--") ? word.split("=", 2)[0] : word;
        return MEANINGS.getOrDefault(name, List.of()).stream()
                .filter(each -> names.contains(each.split(" ", 2)[0]))
                .findFirst();
    }
}
