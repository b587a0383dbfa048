// SPDX-License-Identifier: Apache-2.0
package org.talos.server.fuzz;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.talos.server.http.rest.message.JsonFuzz;
import org.talos.server.http.rest.stream.LinesFuzz;
import org.talos.server.http.stream.StreamFuzz;
import org.talos.server.http.stream.StreamJsonFuzz;
import org.talos.server.log.SegmentFuzz;
import org.talos.server.transfer.wire.TransferFuzz;

/** All targets of the fuzzer, each with its corpus: the folder of its class' name in the resources. Immutable. */
enum FuzzTarget {
    CALL(CallFuzz.class, CallFuzz::fuzzerTestOneInput),
    BLOCK(BlockFuzz.class, BlockFuzz::fuzzerTestOneInput),
    JOURNAL(JournalFuzz.class, JournalFuzz::fuzzerTestOneInput),
    SEGMENT(SegmentFuzz.class, SegmentFuzz::fuzzerTestOneInput),
    TRANSFER(TransferFuzz.class, TransferFuzz::fuzzerTestOneInput),
    JSON(JsonFuzz.class, JsonFuzz::fuzzerTestOneInput),
    LINES(LinesFuzz.class, LinesFuzz::fuzzerTestOneInput),
    STREAM(StreamFuzz.class, StreamFuzz::fuzzerTestOneInput),
    STREAM_JSON(StreamJsonFuzz.class, StreamJsonFuzz::fuzzerTestOneInput);

    private final Class<?> type;

    @SuppressWarnings("ImmutableEnumChecker") // a method of a class without fields
    private final Input input;

    FuzzTarget(Class<?> type, Input input) {
        this.type = type;
        this.input = input;
    }

    /** The class that the fuzzer calls. */
    Class<?> type() {
        return type;
    }

    /** Reads one input, and fails on what must not be. */
    void read(byte[] bytes) throws Exception {
        input.read(bytes);
    }

    /** Returns the directory of its corpus. */
    Path corpus() {
        URL folder = Objects.requireNonNull(FuzzTarget.class.getResource("/fuzz/" + type.getSimpleName()));
        try {
            return Path.of(folder.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its corpus. */
    List<Path> inputs() throws IOException {
        try (Stream<Path> files = Files.list(corpus())) {
            return files.sorted().toList();
        }
    }

    @FunctionalInterface
    private interface Input {
        void read(byte[] bytes) throws Exception;
    }
}
