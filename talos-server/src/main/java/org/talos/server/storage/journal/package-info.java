// SPDX-License-Identifier: Apache-2.0
/**
 * The common parts of stores that acknowledge from a journal:
 * {@link org.talos.server.storage.journal.JournaledSegmentStore} is the store itself,
 * {@link org.talos.server.storage.journal.SegmentFiles} the seam between a disk and HDFS.
 * {@link org.talos.server.storage.journal.Journal} makes bytes of all segments durable together,
 * {@link org.talos.server.storage.journal.SegmentCopier} writes them into the segments' files later, and
 * {@link org.talos.server.storage.journal.JournalReplay} reads the journals of an earlier run. Formats:
 * docs/formats/storage.md.
 */
@NullMarked
package org.talos.server.storage.journal;

import org.jspecify.annotations.NullMarked;
