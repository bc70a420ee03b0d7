//! All kernels, by name: a new one is one more line here.

use crate::analyses::neardups::{banding, buckets, contained, words};
use crate::analyses::passages::{alike, borders, diagonals, pages, pairs, reaches, seeds, signatures, slices, stops};
use crate::analyses::phrases::{covering, donors, draws, hosts, popular, samples, texts, whole};
use crate::analyses::quilts::{attribution, covers, patches, sites, sweep, verdicts};
use crate::analyses::repeats::{anchors, copies as repeat_copies, removals, settling, windows};
use crate::analyses::reuse::{contents, examples, histograms, neighbourhoods, objects, origins, places};
use crate::analyses::{postings, reworded, shares};
use crate::documents::{components, copies, deletion, keeping, similarity};
use crate::flow::kernel::Entry;
use crate::flow::tables;

/// How kernels are described and made.
pub const KERNELS: &[Entry] = &[
    Entry::map::<tables::Select>(),
    Entry::group::<tables::LookUp>(),
    Entry::map::<copies::Places>(),
    Entry::group::<copies::Shared>(),
    Entry::group::<copies::Pool>(),
    Entry::group::<copies::Copies>(),
    Entry::map::<components::Ends>(),
    Entry::group::<components::LargeStar>(),
    Entry::group::<components::SmallStar>(),
    Entry::group::<components::DistinctRows>(),
    Entry::map::<keeping::Gathering>(),
    Entry::map::<keeping::Preferences>(),
    Entry::map::<keeping::Contenders>(),
    Entry::group::<keeping::Choice>(),
    Entry::map::<keeping::Marked>(),
    Entry::map::<keeping::Kept>(),
    Entry::group::<keeping::KeptSimilar>(),
    Entry::map::<deletion::NearPairs>(),
    Entry::map::<deletion::JudgedPairs>(),
    Entry::map::<deletion::OpenPairs>(),
    Entry::group::<deletion::Gathered>(),
    Entry::group::<deletion::Dropped>(),
    Entry::map::<similarity::KeptComparisons>(),
    Entry::map::<similarity::Comparisons>(),
    Entry::group::<similarity::Compared>(),
    Entry::map::<similarity::GramSets>(),
    Entry::map::<similarity::SpotSets>(),
    Entry::group::<similarity::Jaccard>(),
    Entry::group::<similarity::SimilaritySpread>(),
    Entry::map::<postings::scan::Scan>(),
    Entry::group::<postings::lists::Lists>(),
    Entry::group::<postings::elements::Elements>(),
    Entry::group::<covers::reworded::Questioned>(),
    Entry::group::<covers::reworded::GramsOrPassages>(),
    Entry::group::<covers::first::FirstCovers>(),
    Entry::group::<covers::suspicions::Suspicions>(),
    Entry::group::<covers::last::Covers<false>>(),
    Entry::group::<covers::last::Covers<true>>(),
    Entry::map::<attribution::Names>(),
    Entry::group::<attribution::Named>(),
    Entry::map::<attribution::Linked>(),
    Entry::group::<verdicts::DocumentCounts>(),
    Entry::group::<verdicts::Verdicts>(),
    Entry::group::<patches::requests::Requests>(),
    Entry::group::<patches::requests::Asked>(),
    Entry::map::<patches::slices::Slices>(),
    Entry::map::<patches::Patches>(),
    Entry::group::<patches::reworded::RewordedPatches>(),
    Entry::group::<sites::QuiltSources>(),
    Entry::group::<sites::Visits>(),
    Entry::group::<sites::SiteCounts>(),
    Entry::group::<sweep::Sweep>(),
    Entry::group::<sweep::VerdictCounts>(),
    Entry::group::<sweep::Sums>(),
    Entry::map::<sweep::Rates>(),
    Entry::map::<buckets::Shingles>(),
    Entry::map::<buckets::Marks>(),
    Entry::group::<buckets::Buckets>(),
    Entry::map::<banding::Bands>(),
    Entry::map::<banding::SpotBands>(),
    Entry::group::<banding::BucketCandidates>(),
    Entry::group::<banding::BestCandidates>(),
    Entry::map::<contained::ContainedGrams>(),
    Entry::group::<contained::GramVotes>(),
    Entry::group::<contained::VotedCandidates>(),
    Entry::map::<banding::Unsettled>(),
    Entry::group::<banding::Apart>(),
    Entry::map::<words::DocumentWords>(),
    Entry::group::<words::WordSums>(),
    Entry::map::<samples::Samples>(),
    Entry::map::<samples::ChosenSamples>(),
    Entry::group::<popular::Popular>(),
    Entry::group::<popular::AddedShingles>(),
    Entry::group::<donors::PhraseElements>(),
    Entry::group::<covering::PhraseCounts>(),
    Entry::group::<covering::PhraseCovers>(),
    Entry::map::<texts::PhraseTexts>(),
    Entry::group::<whole::PhraseLists>(),
    Entry::map::<whole::WholePhrases>(),
    Entry::group::<whole::OnePhrase>(),
    Entry::map::<draws::Lots>(),
    Entry::group::<draws::Draws>(),
    Entry::group::<draws::DrawnDocuments>(),
    Entry::group::<hosts::PhrasePages>(),
    Entry::group::<hosts::PhraseHosts>(),
    Entry::map::<signatures::SentenceTokens>(),
    Entry::map::<signatures::GramPlaces>(),
    Entry::group::<pages::StopSentences>(),
    Entry::group::<pages::MarkedPages>(),
    Entry::group::<seeds::WindowLists>(),
    Entry::group::<seeds::WindowSeeds>(),
    Entry::group::<alike::SentenceSets>(),
    Entry::group::<alike::SignatureCounts>(),
    Entry::group::<alike::SentencePrefixes>(),
    Entry::group::<alike::AlikeSentences>(),
    Entry::group::<alike::AlikeWindows>(),
    Entry::group::<alike::AlikeSeeds>(),
    Entry::group::<diagonals::Diagonals>(),
    Entry::group::<diagonals::Chains>(),
    Entry::group::<reaches::Reaches>(),
    Entry::group::<reaches::Extended>(),
    Entry::map::<slices::PassageTexts>(),
    Entry::group::<borders::Borders>(),
    Entry::group::<pairs::PassagePairs>(),
    Entry::map::<reworded::counts::StemCounts>(),
    Entry::group::<reworded::counts::StemSums>(),
    Entry::map::<reworded::boilerplate::StemGrams>(),
    Entry::group::<reworded::boilerplate::CommonGrams>(),
    Entry::map::<reworded::keys::StemKeys>(),
    Entry::group::<reworded::keys::KeyPairs>(),
    Entry::group::<reworded::candidates::RewordedCandidates>(),
    Entry::group::<reworded::candidates::OwnCandidates>(),
    Entry::map::<reworded::aligned::CandidateTexts>(),
    Entry::group::<reworded::aligned::AlignedPassages>(),
    Entry::group::<reworded::spanned::SpannedPassages>(),
    Entry::group::<reworded::sharing::SharingDocuments>(),
    Entry::group::<reworded::sharing::SharedPassages>(),
    Entry::group::<stops::StopGroups>(),
    Entry::map::<stops::StopTexts>(),
    Entry::map::<shares::Postings>(),
    Entry::group::<shares::Shares>(),
    Entry::group::<shares::Totals>(),
    Entry::map::<places::ObjectPlaces>(),
    Entry::group::<objects::Objects>(),
    Entry::group::<objects::Best>(),
    Entry::map::<examples::Examples>(),
    Entry::group::<histograms::Histograms>(),
    Entry::map::<contents::Contents>(),
    Entry::map::<contents::Targets>(),
    Entry::map::<origins::ObjectOrigins>(),
    Entry::map::<windows::Windows>(),
    Entry::map::<anchors::Anchors>(),
    Entry::group::<anchors::AnchoredCopies>(),
    Entry::group::<repeat_copies::RunCopies>(),
    Entry::group::<repeat_copies::Cuts>(),
    Entry::map::<settling::Pointers>(),
    Entry::group::<settling::Settled>(),
    Entry::map::<removals::CutRequests>(),
    Entry::map::<removals::MenuRequests>(),
    Entry::map::<removals::Removals>(),
    Entry::group::<removals::VerifiedCuts>(),
    Entry::group::<neighbourhoods::PrefixSums>(),
    Entry::map::<neighbourhoods::Judgements>(),
];

/// The kernel of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    KERNELS.iter().find(|entry| entry.contract.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::contract::{KernelInput, Shape};
    use crate::flow::fields::Kind;
    use std::collections::HashSet;

    #[test]
    fn names_are_of_one_kernel_each() {
        let names: HashSet<_> = KERNELS.iter().map(|entry| entry.contract.name).collect();
        assert_eq!(names.len(), KERNELS.len());
    }

    #[test]
    fn ports_are_numbered_whatever_is_asked_for() {
        for Entry { contract, .. } in KERNELS {
            for met in [true, false] {
                let there = contract.ports.iter().filter(|port| port.when.is_none_or(|when| when.equal == met));
                let numbers: Vec<_> = there.map(|port| port.number).collect();
                assert_eq!(numbers, (0..numbers.len()).collect::<Vec<_>>(), "{}", contract.name);
            }
            let parameters: HashSet<_> = contract.parameters.iter().map(|parameter| parameter.name).collect();
            let asked =
                contract.ports.iter().filter_map(|port| port.when).all(|when| parameters.contains(when.parameter));
            assert!(asked, "{}", contract.name);
        }
    }

    /// Fields behind one that takes what is left over have a fixed width; else nobody could tell where it ends.
    #[test]
    fn rows_have_one_field_of_any_length_before_the_end() {
        for Entry { contract, .. } in KERNELS {
            let coming = match contract.input {
                KernelInput::Tables { shapes, .. } => shapes,
                KernelInput::Columns { .. } => &[],
            };
            for shape in contract.ports.iter().map(|port| port.shape).chain(coming.iter().copied()) {
                let Shape::Fields(fields) = shape else { continue };
                if let Some(place) = fields.iter().position(|field| field.kind == Kind::Rest) {
                    let variable = |kind| matches!(kind, Kind::Rest | Kind::Bytes { .. } | Kind::Text { .. });
                    assert!(!fields[place + 1..].iter().any(|field| variable(field.kind)), "{}", contract.name);
                }
            }
        }
    }
}
