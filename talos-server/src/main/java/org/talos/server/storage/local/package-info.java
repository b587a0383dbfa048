/**
 * Segments as files of the local disk, and the journal that they share when puts are synced. Formats:
 * docs/formats/storage.md. Entry type: {@link org.talos.server.storage.local.LocalSegmentStore}.
 */
@NullMarked
package org.talos.server.storage.local;

import org.jspecify.annotations.NullMarked;
