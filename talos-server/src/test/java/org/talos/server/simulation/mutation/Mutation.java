// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation.mutation;

import com.google.errorprone.annotations.Immutable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.talos.server.simulation.SimulationRuns;

/**
 * A fault that is inserted on purpose: one piece of the source of one class, replaced by another.
 *
 * @param type qualified name of the top-level class
 * @param before the piece as it is, which the source has once
 * @param after the piece as it is to be
 */
@Immutable
public record Mutation(String type, String before, String after) {
    private static final Path SOURCES = Path.of(System.getProperty("talos.root"), "talos-server/src/main/java");

    /**
     * Runs a simulation on the changed class until a promise is broken.
     *
     * @param simulation class with a constructor of a seed only
     * @return the first of so many seeds that breaks a promise, with the promise; empty if none does
     */
    public Optional<String> firstFound(Class<? extends SimulationRuns.Run> simulation, long seeds) throws Exception {
        MutantLoader loader = new MutantLoader(type, source());
        Class<?> runs = loader.loadClass(MutantRuns.class.getName());
        try {
            String found = (String)
                    runs.getMethod("first", String.class, long.class).invoke(null, simulation.getName(), seeds);
            return found.isEmpty() ? Optional.empty() : Optional.of(found);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("the simulation of " + this + " failed: " + e.getCause(), e.getCause());
        }
    }

    private String source() throws IOException {
        String source = Files.readString(SOURCES.resolve(type.replace('.', '/') + ".java"));
        int place = source.indexOf(before);
        if (place < 0 || source.indexOf(before, place + 1) >= 0) {
            throw new IllegalStateException("not once in " + type + ": " + before);
        }
        return source.replace(before, after);
    }
}
