// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

class HBaseTableTest {
    private static List<String> problems(ColumnFamilyDescriptorBuilder family, Durability durability) {
        return HBaseTable.problems(TableDescriptorBuilder.newBuilder(TableName.valueOf("talos"))
                .setDurability(durability)
                .setColumnFamily(family.build())
                .build());
    }

    private static ColumnFamilyDescriptorBuilder family() {
        return ColumnFamilyDescriptorBuilder.newBuilder(HBaseCellTable.FAMILY).setMaxVersions(1);
    }

    @Test
    void tableAsItIsMadeHasNoProblem() {
        assertThat(problems(family(), Durability.FSYNC_WAL)).isEmpty();
    }

    @Test
    void moreThanOneVersionIsAProblem() {
        assertThat(problems(family().setMaxVersions(2), Durability.FSYNC_WAL))
                .singleElement()
                .asString()
                .contains("VERSIONS 2");
    }

    @Test
    void eachSettingThatEndangersRowsIsNamed() {
        assertThat(problems(family().setMaxVersions(3).setTimeToLive(60), Durability.ASYNC_WAL))
                .hasSize(3);
        assertThat(problems(ColumnFamilyDescriptorBuilder.newBuilder(new byte[] {'x'}), Durability.FSYNC_WAL))
                .singleElement()
                .asString()
                .contains("another program's table");
    }
}
