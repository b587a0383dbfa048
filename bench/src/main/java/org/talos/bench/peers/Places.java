// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The paths of what is no part of Talos: the peers' jars in the source tree, and the program of NATS. Immutable.
 *
 * @param classPaths of their processes, which have nothing of Talos'
 * @param natsServer the program
 */
record Places(Map<Product, String> classPaths, Optional<Path> natsServer) {
    private static final String NATS_PROGRAM = "nats-server";

    Places {
        classPaths = Map.copyOf(classPaths);
    }

    /**
     * Looks for them.
     *
     * @param home of the project
     * @param path as the environment has it
     */
    static Places of(Path home, String path) {
        Map<Product, String> classPaths = new EnumMap<>(Product.class);
        for (Product each : Product.values()) {
            Path target = home.resolve("bench").resolve(each.label()).resolve("target");
            if (Files.isDirectory(target.resolve("lib"))) {
                classPaths.put(each, jars(target) + File.pathSeparator + jars(target.resolve("lib")));
            }
        }
        return new Places(
                classPaths,
                Arrays.stream(path.split(File.pathSeparator))
                        .filter(folder -> !folder.isBlank())
                        .map(folder -> Path.of(folder, NATS_PROGRAM))
                        .filter(Files::isExecutable)
                        .findFirst());
    }

    /** Those in a folder; not its classes, which are elsewhere if bin/talos has built them. */
    private static String jars(Path folder) {
        return folder + File.separator + "*";
    }

    /** The class path of a product's processes. */
    String classPath(Product of) {
        return of == Product.TALOS ? System.getProperty("java.class.path") : Objects.requireNonNull(classPaths.get(of));
    }

    /** Why a product cannot be measured; empty if it can. */
    Optional<String> missing(Product product) {
        if (product != Product.TALOS && !classPaths.containsKey(product)) {
            return Optional.of(product.label() + ": its jars are in the source tree only, once bench is built");
        }
        return product == Product.NATS && natsServer.isEmpty()
                ? Optional.of(product.label() + ": no " + NATS_PROGRAM + " on the path")
                : Optional.empty();
    }
}
