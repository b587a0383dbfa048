// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Names of topics by {@code orders,billing-*}. Immutable. */
record TopicNames(List<Pattern> patterns) {
    TopicNames {
        patterns = List.copyOf(patterns);
    }

    /** Reads a list that the configuration has checked. */
    static TopicNames parse(String names) {
        return new TopicNames(Arrays.stream(names.split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .map(TopicNames::pattern)
                .toList());
    }

    private static Pattern pattern(String name) {
        return Pattern.compile(
                Arrays.stream(name.split("\\*+", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }

    boolean has(String topic) {
        return patterns.stream().anyMatch(each -> each.matcher(topic).matches());
    }
}
