// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Function;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.body.Sequence;

/**
 * Collects the fields of an object whose values may be large: these are rendered only when they are written. Names of
 * fields are ASCII, without anything to escape.
 *
 * <p>Confined: the maker of one object.
 */
public final class JsonFields {
    private static final int SHORT_CHARACTERS = 256;
    private static final int PUNCTUATION_BYTES = 6; // of a text in an object: four quotes, a colon, and a comma

    private final StringBuilder gathered = new StringBuilder(128);
    private final List<Body> bodies = new ArrayList<>(4);
    private boolean isFirst = true;

    public JsonFields number(String name, long value) {
        name(name);
        gathered.append(value);
        return this;
    }

    public JsonFields bool(String name, boolean value) {
        name(name);
        gathered.append(value);
        return this;
    }

    public JsonFields text(String name, String value) {
        name(name);
        quote(value);
        return this;
    }

    /**
     * Adds an object of texts, each of which is made when it is written. Its names may be any.
     *
     * @param values as UTF-8, which must not change until they are written; malformed bytes are replaced by U+FFFD
     */
    public JsonFields texts(String name, SortedMap<String, ByteBuffer> values) {
        long mostBytes = 0;
        for (Map.Entry<String, ByteBuffer> each : values.entrySet()) {
            long growing = (long) each.getKey().length() + each.getValue().remaining();
            mostBytes += EscapedText.MOST_GROWTH * growing + PUNCTUATION_BYTES;
        }
        name(name);
        gathered.append('{');
        add(new Sequence(new Separated<>(values.entrySet(), JsonFields::member), mostBytes));
        gathered.append('}');
        return this;
    }

    private static Body member(Map.Entry<String, ByteBuffer> each) {
        JsonFields member = new JsonFields();
        member.quote(each.getKey());
        member.gathered.append(":\"");
        member.add(EscapedText.repaired(each.getValue()));
        return member.end("\"");
    }

    /**
     * Adds a text.
     *
     * @param utf8 valid UTF-8, which must not change until it is written
     */
    public JsonFields utf8(String name, ByteBuffer utf8) {
        name(name);
        gathered.append('"');
        add(new EscapedText(utf8));
        gathered.append('"');
        return this;
    }

    /**
     * Adds bytes as base64.
     *
     * @param bytes which must not change until they are written
     */
    public JsonFields base64(String name, ByteBuffer bytes) {
        name(name);
        gathered.append('"');
        add(new Base64Text(bytes));
        gathered.append('"');
        return this;
    }

    /**
     * Adds a list of values, each of which is made when it is written.
     *
     * @param mostBytes of all values together, and a byte for each
     */
    public <T> JsonFields list(String name, List<T> values, Function<T, Body> body, long mostBytes) {
        name(name);
        gathered.append('[');
        add(new Sequence(new Separated<>(values, body), mostBytes));
        gathered.append(']');
        return this;
    }

    /** Adds a tree, which is small. */
    public JsonFields tree(String name, JsonNode value) {
        name(name);
        add(new Bytes(List.of(ByteBuffer.wrap(Json.write(value)))));
        return this;
    }

    /**
     * Adds a value as it was sent.
     *
     * @param json one value that {@link Json#isValue} accepts, which must not change
     */
    public JsonFields compact(String name, ByteBuffer json) {
        name(name);
        add(new CompactJson(json));
        return this;
    }

    private void name(String name) {
        gathered.append(isFirst ? "{\"" : ",\"").append(name).append("\":");
        isFirst = false;
    }

    private void quote(String value) {
        gathered.append('"');
        if (value.length() <= SHORT_CHARACTERS && EscapedText.isPlain(value)) {
            gathered.append(value);
        } else {
            add(new StringText(value));
        }
        gathered.append('"');
    }

    private void add(Body body) {
        bodies.add(Bytes.ascii(gathered.toString()));
        gathered.setLength(0);
        bodies.add(body);
    }

    /** Ends the object, which has one field or more. */
    public Body end() {
        return end("}");
    }

    /** Ends the object and the line. */
    public Body endLine() {
        return end("}\n");
    }

    private Body end(String end) {
        bodies.add(Bytes.ascii(gathered.append(end).toString()));
        return Sequence.of(bodies);
    }

    /** Makes the bodies of values one after another, with commas between them. Confined: the writer of one answer. */
    private static final class Separated<T> implements Iterator<Body> {
        private final Iterator<T> values;
        private final Function<T, Body> body;
        private boolean commaDue;

        Separated(Iterable<T> values, Function<T, Body> body) {
            this.values = values.iterator();
            this.body = body;
        }

        @Override
        public boolean hasNext() {
            return values.hasNext();
        }

        @Override
        public Body next() {
            Body next = commaDue ? Bytes.ascii(",") : body.apply(values.next());
            commaDue = !commaDue;
            return next;
        }
    }
}
