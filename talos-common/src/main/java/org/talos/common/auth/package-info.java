/** Request signing, for client and server: the string that is signed, the HMAC, and the header. */
@NullMarked
package org.talos.common.auth;

import org.jspecify.annotations.NullMarked;
