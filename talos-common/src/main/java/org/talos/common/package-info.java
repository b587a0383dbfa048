/** Basics of all of Talos: {@link org.talos.common.Release}. No threads. */
@NullMarked
package org.talos.common;

import org.jspecify.annotations.NullMarked;
