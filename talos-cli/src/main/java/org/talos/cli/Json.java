// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;

/**
 * Writes documents as JSON: records by their components, without the empty ones. Only output in JSON loads this class,
 * and Jackson with it. Thread-safe.
 */
final class Json {
    private static final ObjectWriter WRITER = JsonMapper.builder()
            .addModule(new Jdk8Module())
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_ABSENT, JsonInclude.Include.NON_ABSENT))
            .build()
            .writer();

    private Json() {}

    /** Returns a document as one line. */
    static String line(Object document) {
        try {
            return WRITER.writeValueAsString(document);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("document: " + e.getOriginalMessage(), e);
        }
    }
}
