// SPDX-License-Identifier: Apache-2.0
/**
 * The metadata of servers that share an HBase cluster: {@link org.talos.server.metadata.hbase.HBaseTable} creates and
 * checks the table, {@link org.talos.server.metadata.hbase.HBaseMetadataStore} reads and writes its rows. HBase's
 * client is used in this package only.
 */
@NullMarked
package org.talos.server.metadata.hbase;

import org.jspecify.annotations.NullMarked;
