// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.google.re2j.Pattern;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Decides about a text, which is given as UTF-8, in time in proportion to its bytes. Immutable. */
sealed interface TextTest {
    /** The bytes of one message, from the beginning on, in which a condition searches its regular expression. */
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
     * A regular expression that is found in the text, or in its beginning as if the text ended there. Immutable.
     *
     * @param pattern of RE2, so that its time grows with the text alone
     */
    record Matching(Pattern pattern) implements TextTest {
        @Override
        public boolean holds(ByteBuffer utf8, SearchWork work) {
            return work.beginning(utf8, pattern.programSize())
                    .map(beginning -> StandardCharsets.UTF_8.decode(beginning).toString())
                    .filter(beginning -> pattern.matcher(beginning).find())
                    .isPresent();
        }
    }
}
