// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import java.io.IOException;
import java.io.InputStream;

/// A store that gives documents and layers by their digests: a registry's repository, or a layout in an archive.
interface Documents {

    /// Index or manifest; its digest and size are checked.
    byte[] manifest(Descriptor wanted);

    /// Any other small document, checked in the same way.
    byte[] document(Descriptor wanted);

    /// A layer; the stream checks digest and size, and fails at the end if they are others.
    InputStream layer(Descriptor wanted) throws IOException;

    /// A layer to be opened later.
    default SourceImage.Content content(Descriptor wanted) {
        return () -> layer(wanted);
    }

    /// Digest and size as said, or a refusal.
    static byte[] checked(Descriptor wanted, byte[] content) {
        if (content.length != wanted.size()) {
            throw Refusal.image(wanted.digest() + " has " + content.length + " bytes, and not " + wanted.size() + " as is said of it");
        }
        var digest = Digest.of(content);
        if (!digest.equals(wanted.digest())) {
            throw Refusal.image("what is given as " + wanted.digest() + " has the digest " + digest);
        }
        return content;
    }

    static Descriptor bounded(Descriptor wanted, int most) {
        if (wanted.size() > most) {
            throw Refusal.image(wanted.digest() + " has " + wanted.size() + " bytes; at most " + most + " are taken");
        }
        return wanted;
    }
}
