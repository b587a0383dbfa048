// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Gives tests one development cluster: started by the first class that wants it, empty, healed after each test that
 * harmed it, and stopped when the last test of the JVM has run. Its logs stay in {@code target/devcluster-N} of the
 * module that has the test, where N counts the JVMs that run tests at the same time. Use it by {@link WithDevCluster}.
 *
 * <p>Thread-safe.
 */
public final class DevClusterExtension implements BeforeAllCallback, AfterEachCallback, ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(DevClusterExtension.class);

    @Override
    public void beforeAll(ExtensionContext context) throws IOException, InterruptedException {
        Parts parts = AnnotationSupport.findAnnotation(context.getRequiredTestClass(), WithDevCluster.class)
                .map(WithDevCluster::value)
                .orElse(Parts.ALL);
        cluster(context).start(parts);
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException, InterruptedException {
        cluster(context).heal();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == DevCluster.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return cluster(context);
    }

    private static DevCluster cluster(ExtensionContext context) {
        // Not the root's store: Failsafe executes each class by itself, but all of a JVM in one session.
        return context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .computeIfAbsent("cluster", key -> fresh(), DevCluster.class);
    }

    private static DevCluster fresh() {
        Path root = Path.of(System.getProperty("talos.root", ".."));
        String name = System.getProperty("talos.test.devcluster", "devcluster-1");
        Path directory = Path.of(System.getProperty("basedir", "."), "target", name);
        Path daemons = root.resolve("devcluster").resolve("daemons").resolve("target");
        try {
            DevCluster.attached(directory, daemons).stop(); // what a run that was killed may have left
            delete(directory);
            return DevCluster.attached(directory, daemons);
        } catch (IOException e) {
            throw new IllegalStateException("no development cluster: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while clearing " + directory, e);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
