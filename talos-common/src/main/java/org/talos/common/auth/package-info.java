/** Request signing, for both ends: what is signed, with what, and how the header says it. */
@NullMarked
package org.talos.common.auth;

import org.jspecify.annotations.NullMarked;
