// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.common.name.TopicDefaults;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.TopicAttribute;

/** Tests the attributes of a new topic. */
@Timeout(30)
class NewTopicTest {
    @AutoClose
    private final ScriptedCommand talos;

    NewTopicTest(@TempDir Path home) throws IOException {
        talos = new ScriptedCommand(home);
    }

    private TopicAttribute asked(String... arguments) {
        var unused = talos.call(arguments);
        return talos.server.asked().get(0).request(new CreateTopicRequest()).getTopicAttribute();
    }

    @Test
    void topicWithoutOptionsHasTheServersDefaults() {
        TopicAttribute asked = asked("topic", "create", "orders");

        assertThat(asked.getPartitionNumber()).isEqualTo(TopicDefaults.PARTITIONS);
        assertThat(asked.getMessageRetentionSecs()).isEqualTo(TopicDefaults.RETENTION_SECONDS);
    }

    @ParameterizedTest
    @CsvSource({"7200, 7200", "90m, 5400", "2w, 1209600", "1d12h, 129600"})
    void retentionIsADuration(String retention, int seconds) {
        assertThat(asked("topic", "create", "orders", "--retention", retention).getMessageRetentionSecs())
                .isEqualTo(seconds);
    }
}
