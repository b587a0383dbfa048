// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.google.re2j.Pattern;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Decides about a text, which is given as UTF-8, in time in proportion to its bytes. Immutable. */
sealed interface TextTest {
    /** The bytes at the beginning of a text in which a regular expression is searched. */
    int MAX_MATCHED_BYTES = 256 << 10;

    /** Returns whether the text passes. The position of the buffer stays. */
    boolean holds(ByteBuffer utf8, SearchWork work);

    /**
     * The whole text. Immutable.
     *
     * @param text must not change
     */
    record Equal(ByteBuffer text) implements TextTest {
        @Override
        public boolean holds(ByteBuffer utf8, SearchWork work) {
            return text.equals(utf8);
        }
    }

    /** A part of the text. Immutable. */
    record Containing(BytePattern part) implements TextTest {
        @Override
        public boolean holds(ByteBuffer utf8, SearchWork work) {
            return part.isIn(utf8);
        }
    }

    /**
     * A regular expression that is found in the text. Immutable.
     *
     * @param pattern of RE2, so that its time grows with the text alone
     */
    record Matching(Pattern pattern) implements TextTest {
        @Override
        public boolean holds(ByteBuffer utf8, SearchWork work) {
            ByteBuffer beginning = utf8.slice(utf8.position(), Math.min(utf8.remaining(), MAX_MATCHED_BYTES));
            work.add((long) beginning.remaining() * pattern.programSize());
            return pattern.matcher(StandardCharsets.UTF_8.decode(beginning).toString())
                    .find();
        }
    }
}
