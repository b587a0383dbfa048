/** Messages and the blocks that carry them: formats, compression, bounds of decompression. */
@NullMarked
package org.talos.common.message;

import org.jspecify.annotations.NullMarked;
