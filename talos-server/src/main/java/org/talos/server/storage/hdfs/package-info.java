// SPDX-License-Identifier: Apache-2.0
/**
 * Segments and journals as files of HDFS. Formats: docs/formats/hdfs.md. Entry types:
 * {@link org.talos.server.storage.hdfs.HdfsSegmentStore}, {@link org.talos.server.storage.hdfs.HdfsRoot}.
 */
@NullMarked
package org.talos.server.storage.hdfs;

import org.jspecify.annotations.NullMarked;
