// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.service.ControlFixture.ALICE;
import static org.talos.server.service.ControlFixture.BOB;
import static org.talos.server.service.ControlFixture.grantee;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.ControlFixture;
import org.talos.thrift.ChangeTopicOwnerInfoRequest;
import org.talos.thrift.DeleteTopicAttributeRequest;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicOwnerInfo;
import org.talos.thrift.TopicTalosResourceName;

/** While a topic of the owner grows, whose store may take long. */
class UnlockedChangesTest {
    @TempDir
    private Path data;

    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private ControlFixture fixture;
    private TopicTalosResourceName name;

    @BeforeEach
    void open() throws Exception {
        fixture = new ControlFixture(data.resolve("rows"));
        TopicAttribute attribute = new TopicAttribute().setPartitionNumber(1).setAttributes(Map.of("key", "value"));
        name = fixture.create(ALICE, "topic", attribute);
    }

    @AfterEach
    void close() {
        other.shutdownNow();
        fixture.close();
    }

    private void whileOthersGrow(Callable<Boolean> change) throws Exception {
        synchronized (fixture.bounds.lockOf(topic().owner())) {
            assertThat(other.submit(change).get(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    private TopicRecord topic() {
        return fixture.directory.byName("topic").orElseThrow();
    }

    @Test
    void permissionIsRevoked() throws Exception {
        fixture.permissions.setPermission(ALICE, name, grantee("bob"), Permission.GET_MESSAGE);

        whileOthersGrow(() -> {
            fixture.permissions.revokePermission(ALICE, name, grantee("bob"));
            return true;
        });

        assertThat(topic().acl()).isEmpty();
    }

    @Test
    void topicsOfAnotherOwnerGrow() throws Exception {
        TopicTalosResourceName bobs = fixture.create(BOB, "bobs", new TopicAttribute().setPartitionNumber(1));

        whileOthersGrow(() -> {
            fixture.permissions.setPermission(BOB, bobs, grantee("alice"), Permission.GET_MESSAGE);
            fixture.create(BOB, "next", new TopicAttribute().setPartitionNumber(1));
            return true;
        });

        assertThat(fixture.directory.byName("bobs").orElseThrow().acl()).hasSize(1);
        assertThat(fixture.directory.byName("next")).isPresent();
    }

    @Test
    void attributeIsDeleted() throws Exception {
        whileOthersGrow(() -> {
            fixture.topics.deleteTopicAttribute(ALICE, new DeleteTopicAttributeRequest(name, "key"));
            return true;
        });

        assertThat(topic().attributes()).isEmpty();
    }

    @Test
    void ownerInfoIsChanged() throws Exception {
        TopicOwnerInfo info = new TopicOwnerInfo();
        info.setOwnerName("Alice");

        whileOthersGrow(() -> {
            fixture.topics.changeTopicOwnerInfo(ALICE, new ChangeTopicOwnerInfoRequest(name, info));
            return true;
        });

        assertThat(topic().ownerName()).isEqualTo("Alice");
    }
}
