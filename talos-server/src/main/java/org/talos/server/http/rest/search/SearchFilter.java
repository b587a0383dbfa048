// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.server.http.rest.Query;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.thrift.Message;

/** Which messages a search is for: all conditions hold. Immutable. */
record SearchFilter(
        Optional<String> key,
        Optional<Header> header,
        Optional<BytePattern> text,
        Optional<JsonCondition> json,
        List<SearchCondition> conditions) {
    private static final int MAX_CHARACTERS = 1_024;

    SearchFilter {
        conditions = List.copyOf(conditions);
    }

    /**
     * A header of a message. Immutable.
     *
     * @param value all of it; empty for any
     */
    record Header(String name, Optional<String> value) {
        /** Compares bytes: a value of a message may be long, and is not decoded. */
        private boolean isIn(Map<String, ByteBuffer> headers) {
            Optional<ByteBuffer> wanted = value.map(StandardCharsets.UTF_8::encode);
            return headers.entrySet().stream()
                    .anyMatch(each -> each.getKey().equalsIgnoreCase(name)
                            && wanted.filter(bytes -> !bytes.equals(each.getValue()))
                                    .isEmpty());
        }
    }

    /**
     * Reads the parameters.
     *
     * @throws ProblemException 400
     */
    static SearchFilter of(Query query) {
        return new SearchFilter(
                text(query, "key"),
                text(query, "header").map(SearchFilter::header),
                text(query, "text").map(text -> new BytePattern(text.getBytes(StandardCharsets.UTF_8))),
                query.text("jsonPath").map(JsonCondition::parse),
                query.text("where").map(ConditionParser::parse).orElse(List.of()));
    }

    private static Optional<String> text(Query query, String name) {
        Optional<String> text = query.text(name);
        if (text.filter(each -> each.isEmpty() || each.length() > MAX_CHARACTERS)
                .isPresent()) {
            throw ProblemException.badRequest(
                    "parameter " + name + " (expected: 1 to " + MAX_CHARACTERS + " characters)");
        }
        return text;
    }

    private static Header header(String text) {
        int colon = text.indexOf(':');
        if (colon == 0) {
            throw ProblemException.badRequest("parameter header (expected: name or name:value)");
        }
        return colon < 0
                ? new Header(text.strip(), Optional.empty())
                : new Header(
                        text.substring(0, colon).strip(),
                        Optional.of(text.substring(colon + 1).strip()));
    }

    /** Returns whether the message is searched for. Takes time in proportion to its bytes. */
    boolean matches(Message message, SearchWork work) {
        if (key.isPresent() && !key.get().equals(message.getPartitionKey())) {
            return false;
        }
        if (header.isPresent() && !(message.isSetHeaders() && header.get().isIn(message.getHeaders()))) {
            return false;
        }
        ByteBuffer bytes = message.bufferForMessage();
        return (text.isEmpty() || text.get().isIn(bytes))
                && (json.isEmpty() || json.get().holds(bytes))
                && conditions.stream().allMatch(each -> holds(each, message, work));
    }

    private static boolean holds(SearchCondition condition, Message message, SearchWork work) {
        work.beginCondition();
        return condition.holds(message, work);
    }
}
