// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.server.http.rest.RestFixture.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.http.rest.RestFixture.Answer;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.journal.JournalFiles;
import org.talos.server.storage.journal.StoredFile;
import org.talos.server.testing.TestServer;

@Timeout(90)
class RestDiskFullTest {
    private static final String MESSAGES = "/v1/topics/full/partitions/0/messages";
    private static final String MEMBERS = "/v1/topics/full/groups/new/members";

    @TempDir
    private Path data;

    /** Journals on a disk that is full at times. Thread-safe. */
    private static final class Disk {
        private volatile boolean full;

        private void write() throws IOException {
            if (full) {
                throw new IOException("No space left on device");
            }
        }

        JournalFiles around(JournalFiles real) {
            return new JournalFiles() {
                @Override
                public boolean synced() {
                    return real.synced();
                }

                @Override
                public boolean survivesPowerFailures() {
                    return real.survivesPowerFailures();
                }

                @Override
                public StoredFile begin(long number, ByteBuffer header) throws IOException {
                    write();
                    return new File(real.begin(number, header));
                }

                @Override
                public void end(long number, boolean sound) throws IOException {
                    real.end(number, sound);
                }
            };
        }

        private final class File implements StoredFile {
            private final StoredFile real;

            File(StoredFile real) {
                this.real = real;
            }

            @Override
            public void write(long position, List<ByteBuffer> bytes) throws IOException {
                Disk.this.write();
                real.write(position, bytes);
            }

            @Override
            public int read(long position, ByteBuffer target) throws IOException {
                return real.read(position, target);
            }

            @Override
            public void sync() throws IOException {
                real.sync();
            }

            @Override
            public long size() throws IOException {
                return real.size();
            }

            @Override
            public void truncate(long length) throws IOException {
                real.truncate(length);
            }

            @Override
            public void close() throws IOException {
                real.close();
            }
        }
    }

    private static Answer put(RestFixture rest, String text) throws Exception {
        return rest.send("POST", MESSAGES, json("{'messages':[{'value':'" + text + "'}]}"));
    }

    private static void assertDiskFull(Answer answer, String outcome, boolean retryable) throws Exception {
        JsonNode problem = answer.json();
        assertThat(answer.status()).as(answer.text()).isEqualTo(503);
        assertThat(problem.get("code").asText()).isEqualTo("disk-full");
        assertThat(problem.get("outcome").asText()).isEqualTo(outcome);
        assertThat(problem.get("retryable").asBoolean()).isEqualTo(retryable);
        assertThat(problem.get("detail").asText()).contains("dataDirectory", "by themselves");
        assertThat(answer.header("Retry-After")).isEqualTo("1");
    }

    @Test
    void getsContinueWhileTheDiskIsFullAndPutsOnceThereIsRoom() throws Exception {
        Disk disk = new Disk();
        TestServer server = TestServer.start(data, Map.of(), SystemTime.wallClock(), disk::around);
        try (RestFixture rest = new RestFixture(data, server)) {
            rest.createTopic("full", 1);
            assertThat(put(rest, "one").status()).isEqualTo(200);

            disk.full = true;
            assertDiskFull(put(rest, "lost"), "unknown", false);
            assertDiskFull(put(rest, "refused"), "did-not-happen", true);
            assertDiskFull(
                    rest.send("POST", "/v1/topics", json("{'name':'another','partitions':1}")), "did-not-happen", true);
            assertDiskFull(rest.send("POST", MEMBERS, json("{}")), "did-not-happen", true);

            Answer read = rest.get(MESSAGES + "?from=earliest");
            assertThat(read.status()).as(read.text()).isEqualTo(200);
            assertThat(read.text()).contains("one").doesNotContain("lost", "refused");
            disk.full = false;
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(put(rest, "two").status()).isEqualTo(200));
            assertThat(rest.get(MESSAGES + "?from=earliest").text()).contains("one", "two");
        }
    }
}
