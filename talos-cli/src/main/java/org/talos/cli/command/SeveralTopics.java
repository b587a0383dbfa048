// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.talos.cli.CommandContext;
import org.talos.cli.CommandException;
import org.talos.cli.Connection;
import org.talos.cli.RestCalls;
import org.talos.cli.Units;
import org.talos.client.TalosClientException;
import org.talos.client.TalosClientException.Outcome;

/**
 * Changes several topics, one after another. One argument names them, separated by commas, or with {@code *} for any
 * text.
 *
 * <p>Confined: the main thread.
 */
final class SeveralTopics {
    private static final String ROW = "%-32s %14s %12s  %s";

    private final CommandContext context;
    private final Connection connection;

    SeveralTopics(CommandContext context, Connection connection) {
        this.context = context;
        this.connection = connection;
    }

    /** A change of one topic. */
    @FunctionalInterface
    interface Change {
        void of(String topic) throws TalosClientException;
    }

    /** Returns whether an argument may name several topics. */
    static boolean areNamedBy(String argument) {
        return argument.indexOf(',') >= 0 || argument.indexOf('*') >= 0;
    }

    /**
     * Changes the topics, or shows which ones they are.
     *
     * @param done outcome for each, in one word
     * @throws CommandException no topic is named, or some have failed, after all have been tried
     */
    void change(String argument, boolean execute, String done, Change change)
            throws TalosClientException, CommandException, IOException {
        Map<String, JsonNode> topics = named(argument);
        if (!execute) {
            show(topics);
            return;
        }
        List<Documents.ChangedTopic> results = new ArrayList<>();
        List<String> text = new ArrayList<>();
        List<TalosClientException> failures = new ArrayList<>();
        for (String topic : topics.keySet()) {
            try {
                change.of(topic);
                results.add(new Documents.ChangedTopic(topic, Optional.of(done), Optional.empty()));
                text.add(done + " " + topic);
            } catch (TalosClientException e) {
                failures.add(e);
                String why = String.valueOf(e.getMessage());
                results.add(new Documents.ChangedTopic(topic, Optional.empty(), Optional.of(why)));
                text.add("failed " + topic + ": " + why);
            }
        }
        finish(new Documents.ChangedTopics(false, results), text, failures);
    }

    private void finish(Documents.ChangedTopics document, List<String> text, List<TalosClientException> failures)
            throws CommandException, IOException {
        if (failures.isEmpty()) {
            connection.output().printDone(context, document, text);
            return;
        }
        if (!connection.output().json()) {
            connection.output().printDone(context, document, text);
        }
        TalosClientException first = failures.get(0);
        boolean unknown = failures.stream().anyMatch(each -> each.outcome() == Outcome.UNKNOWN);
        throw CommandException.partly(
                failures.size() + " of " + document.topics().size() + " topics failed, the first by "
                        + first.getMessage(),
                first,
                unknown,
                document);
    }

    private void show(Map<String, JsonNode> topics) throws IOException {
        boolean people = connection.output().isForPeople(context);
        List<String> text = new ArrayList<>();
        text.add(String.format(Locale.ROOT, ROW, "TOPIC", "MESSAGES", people ? "SIZE" : "BYTES", "OWNER"));
        topics.forEach((name, row) -> {
            JsonNode bytes = row.path("contents").path("bytes");
            text.add(String.format(
                    Locale.ROOT,
                    ROW,
                    name,
                    ServedList.text(row.path("contents").path("messages")),
                    people && bytes.isNumber() ? Units.bytes(bytes.asLong()) : ServedList.text(bytes),
                    row.path("owner").asText("-")));
        });
        text.add("topics: " + topics.size() + "; nothing is changed yet: --execute does it");
        List<Documents.ChangedTopic> shown = topics.keySet().stream()
                .map(name -> new Documents.ChangedTopic(name, Optional.empty(), Optional.empty()))
                .toList();
        connection.output().print(context, new Documents.ChangedTopics(true, shown), text);
    }

    /** Returns the rows of the list of topics by name. */
    private Map<String, JsonNode> named(String argument) throws TalosClientException, CommandException {
        List<String> words = Arrays.stream(argument.split(",", -1))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .toList();
        List<JsonNode> rows = new ServedList("topics")
                .with("prefix", prefix(words))
                .sorted("name", false)
                .read(new RestCalls(connection.endpoints(context)));
        Map<String, JsonNode> named = new TreeMap<>();
        for (String word : words) {
            Pattern pattern = pattern(word);
            boolean found = false;
            for (JsonNode row : rows) {
                String name = row.path("name").asText();
                if (pattern.matcher(name).matches()) {
                    named.put(name, row);
                    found = true;
                }
            }
            if (!found) {
                throw CommandException.notThere("no topic is named " + word + ": 'talos topic list' shows them");
            }
        }
        if (named.isEmpty()) {
            throw CommandException.usage("no topic is named (expected: names by commas, or * for any text)");
        }
        return named;
    }

    /** Returns the common prefix of all names, so that the server need not list the others. */
    private static Optional<String> prefix(List<String> words) {
        return words.size() == 1
                ? Optional.of(words.get(0).split("\\*", 2)[0]).filter(each -> !each.isEmpty())
                : Optional.empty();
    }

    private static Pattern pattern(String word) {
        return Pattern.compile(
                Arrays.stream(word.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
    }
}
