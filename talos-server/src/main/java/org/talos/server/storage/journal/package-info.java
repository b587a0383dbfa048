// SPDX-License-Identifier: Apache-2.0
/**
 * The parts that stores share that acknowledge from a journal:
 * {@link org.talos.server.storage.journal.JournaledSegmentStore} is the store itself,
 * {@link org.talos.server.storage.journal.SegmentFiles} what differs between a disk and HDFS.
 * {@link org.talos.server.storage.journal.Journal} makes bytes of all segments durable together,
 * {@link org.talos.server.storage.journal.SegmentCopier} writes them into the segments behind it,
 * {@link org.talos.server.storage.journal.JournalReplay} reads what an earlier run has left. Formats:
 * docs/formats/storage.md.
 */
@NullMarked
package org.talos.server.storage.journal;

import org.jspecify.annotations.NullMarked;
