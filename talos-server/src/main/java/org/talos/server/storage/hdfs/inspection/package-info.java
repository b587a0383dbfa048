// SPDX-License-Identifier: Apache-2.0
/**
 * The report for operators on the logs in HDFS, without a server:
 * {@link org.talos.server.storage.hdfs.inspection.HdfsInspection}.
 */
@NullMarked
package org.talos.server.storage.hdfs.inspection;

import org.jspecify.annotations.NullMarked;
