//! Sides of kernels for reworded passages, as what they hold.

use crate::alignment::boilerplate::Boilerplate;
use crate::alignment::rates::StemRates;
use crate::flow::contract::{Side, WrongParameter};

pub fn unpack_rates(side: &Side) -> Result<StemRates, WrongParameter> {
    StemRates::unpack(side.as_ref()).map_err(|_| WrongParameter("rates are damaged".to_owned()))
}

pub fn unpack_boilerplate(side: &Side) -> Result<Boilerplate, WrongParameter> {
    Boilerplate::unpack(side.as_ref()).map_err(|_| WrongParameter("boilerplate is damaged".to_owned()))
}
