// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.talos.thrift.Message;

/**
 * A condition of a search about one part of a message, which only has to exist if there is no test.
 *
 * <p>Immutable.
 */
sealed interface SearchCondition {
    boolean holds(Message message, SearchWork work);

    private static boolean passes(Optional<TextTest> test, ByteBuffer utf8, SearchWork work) {
        if (test.isEmpty()) {
            return true;
        }
        work.add(utf8.remaining());
        return test.get().holds(utf8, work);
    }

    /** The key of a message. Immutable. */
    record Key(Optional<TextTest> test) implements SearchCondition {
        @Override
        public boolean holds(Message message, SearchWork work) {
            return message.isSetPartitionKey()
                    && passes(test, StandardCharsets.UTF_8.encode(message.getPartitionKey()), work);
        }
    }

    /** The bytes of a message. Immutable. */
    record Value(Optional<TextTest> test) implements SearchCondition {
        @Override
        public boolean holds(Message message, SearchWork work) {
            return passes(test, message.bufferForMessage(), work);
        }
    }

    /** A header of a message, whose name may be written in any case. Immutable. */
    record Header(String name, Optional<TextTest> test) implements SearchCondition {
        @Override
        public boolean holds(Message message, SearchWork work) {
            return message.isSetHeaders()
                    && message.getHeaders().entrySet().stream()
                            .anyMatch(each ->
                                    each.getKey().equalsIgnoreCase(name) && passes(test, each.getValue(), work));
        }
    }

    /** A place in a message that is JSON. Immutable. */
    record Field(JsonCondition place, Optional<TextTest> test) implements SearchCondition {
        @Override
        public boolean holds(Message message, SearchWork work) {
            ByteBuffer json = message.bufferForMessage();
            work.add(json.remaining());
            return test.isEmpty() ? place.holds(json) : place.holds(json, test.get(), work);
        }
    }

    /** A condition that must not hold. Immutable. */
    record Not(SearchCondition condition) implements SearchCondition {
        @Override
        public boolean holds(Message message, SearchWork work) {
            return !condition.holds(message, work);
        }
    }
}
