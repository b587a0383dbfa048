// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.zookeeper.access.Refusal;
import org.talos.server.config.ZooKeeperConfig;

/**
 * Records whether this server has become a member for the first time, or why it never will.
 *
 * <p>Thread-safe.
 */
final class Admission {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    private final ZooKeeperConfig config;
    private final CompletableFuture<Void> decided = new CompletableFuture<>();

    private volatile String logged = ""; // the last refusal that was logged

    Admission(ZooKeeperConfig config) {
        this.config = config;
    }

    /** Completes once it is a member, fails if it never will. */
    CompletableFuture<Void> decided() {
        return decided;
    }

    boolean isDecided() {
        return decided.isDone();
    }

    boolean isRefused() {
        return decided.isCompletedExceptionally();
    }

    void admit() {
        logged = "";
        decided.complete(null);
    }

    /** Ends the start, unless it has ended. */
    void refuse(IOException why) {
        decided.completeExceptionally(why);
    }

    /** Something has failed: ends the start if trying again does not help, and tells of it if that is over. */
    void failed(Exception error) {
        Refusal.of(error, config).ifPresent(this::refuse);
    }

    /** ZooKeeper has refused this server's credentials. */
    void unauthenticated() {
        refuse(Refusal.credentials(config));
    }

    private void refuse(String why) {
        if (!decided.completeExceptionally(new IOException(why)) && !isRefused() && !why.equals(logged)) {
            logged = why;
            LOG.error("ZooKeeper refused the connection, will retry cause={}", why);
        }
    }

    /**
     * Waits for two session timeouts at most.
     *
     * @throws IOException this server is not a member
     */
    void await() throws IOException {
        try {
            decided.get(config.sessionTimeout().toMillis() * 2, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(
                    e.getCause() == null ? e.getMessage() : e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IOException("zookeeper.connect: " + config.connect() + " does not answer, or not in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while joining the cluster", e);
        }
    }
}
