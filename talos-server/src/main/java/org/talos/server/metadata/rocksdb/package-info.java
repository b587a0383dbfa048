// SPDX-License-Identifier: Apache-2.0
/**
 * The metadata of a server that stands alone, in a RocksDB directory of its own. The library is used in this package
 * only.
 */
@NullMarked
package org.talos.server.metadata.rocksdb;

import org.jspecify.annotations.NullMarked;
