// SPDX-License-Identifier: Apache-2.0
/** Native libraries that are unpacked from jars. Entry: {@link org.talos.common.library.NativeLibraries}. */
@NullMarked
package org.talos.common.library;

import org.jspecify.annotations.NullMarked;
