/**
 * Thrift messages as bytes: encodings, limits of decoding, the envelope of calls and answers. Entry type:
 * {@link org.talos.common.wire.Envelope}.
 */
@NullMarked
package org.talos.common.wire;

import org.jspecify.annotations.NullMarked;
