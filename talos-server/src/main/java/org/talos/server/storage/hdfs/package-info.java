// SPDX-License-Identifier: Apache-2.0
/**
 * Segments and journals as files of HDFS. Formats: docs/formats/hdfs.md. Entry type:
 * {@link org.talos.server.storage.hdfs.HdfsSegmentStore}.
 */
@NullMarked
package org.talos.server.storage.hdfs;

import org.jspecify.annotations.NullMarked;
